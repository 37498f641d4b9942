import { systemCode } from '@kube-rules/application/messages'
import type { Context } from '../context.js'

/** Writes to standard output. What differs does not depend on a reader that has had enough. */
export async function writeToWhoListens(context: Context, text: string): Promise<void> {
  try {
    await context.stdout.write(text)
  } catch (error) {
    if (systemCode(error) !== 'EPIPE') throw error
  }
}
