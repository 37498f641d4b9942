import { formatFailureLines, InputError, UsageError } from '@kube-rules/application/messages'

/** Returns the message that the command prints for an error about invalid input. Rethrows any other error. */
export function formatFailure(error: unknown): string {
  if (error instanceof UsageError) return error.message
  if (error instanceof InputError) return formatFailureLines(error).join('\n')
  throw error
}

/** Returns the result of `answer`. If the input is invalid, returns `failed` of the error message instead. */
export function catchFailure<Answer>(answer: () => Answer, failed: (problem: string) => Answer): Answer {
  try {
    return answer()
  } catch (error) {
    return failed(formatFailure(error))
  }
}
