import { isCancel, text } from '@clack/prompts'
import { UsageError } from '../shared/errors.ts'

interface Answers {
  pods?: string
  queue?: string
  endpoint?: string
  keyVariable: string
}

type Streams = Pick<Parameters<typeof text>[0], 'input' | 'output'>

/** Asks for the addresses that most platforms have, and for the variable of the key. */
export async function prompts(streams: Streams = {}): Promise<Answers> {
  async function ask(message: string, defaultValue: string): Promise<string> {
    const said = await text({
      message,
      defaultValue,
      placeholder: defaultValue || 'leave empty if there is none',
      ...streams,
    })
    if (isCancel(said)) throw new UsageError('init was cancelled; nothing is written')
    return said.trim()
  }
  const pods = await ask('Base address of the pod API', '')
  const queue = await ask('Base address of the queue-based endpoints', '')
  const endpoint = queue === '' ? '' : await ask('Id of the endpoint that a run may send jobs to', '')
  const keyVariable = await ask('Environment variable that holds a key with all permissions', 'API_KEY')
  return {
    ...(pods !== '' && { pods }),
    ...(queue !== '' && { queue }),
    ...(endpoint !== '' && { endpoint }),
    keyVariable,
  }
}
