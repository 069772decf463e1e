import { isCancel, text } from '@clack/prompts'

interface Answers {
  pods?: string
  queue?: string
  endpoint?: string
  keyVariable: string
}

type Streams = Pick<Parameters<typeof text>[0], 'input' | 'output'>

/** Asks for the addresses that most platforms have, and for the variable of the key. Null after Ctrl-C. */
export async function prompts(streams: Streams = {}): Promise<Answers | null> {
  async function ask(message: string, defaultValue: string): Promise<string | null> {
    const said = await text({
      message,
      defaultValue,
      placeholder: defaultValue || 'leave empty if there is none',
      ...streams,
    })
    return isCancel(said) ? null : said.trim()
  }
  const pods = await ask('Base address of the pod API', '')
  const queue = pods === null ? null : await ask('Base address of the queue-based endpoints', '')
  const endpoint = queue ? await ask('Id of the endpoint that a run may send jobs to', '') : queue
  if (pods === null || queue === null || endpoint === null) return null
  const keyVariable = await ask('Environment variable that holds a key with all permissions', 'API_KEY')
  if (keyVariable === null) return null
  return {
    ...(pods !== '' && { pods }),
    ...(queue !== '' && { queue }),
    ...(endpoint !== '' && { endpoint }),
    keyVariable,
  }
}
