/** The formats of a report. Apart from what writes them, so that the command line knows them without loading it. */
export const formatNames = ['text', 'json', 'junit', 'sarif', 'markdown', 'ctrf', 'github'] as const

export type Format = (typeof formatNames)[number]
