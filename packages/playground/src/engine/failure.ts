import { formatFailureLines, InputError, UsageError } from '@kube-rules/application/messages'

/** Returns the error message of the command for invalid input. Rethrows any other error. */
export function formatFailure(error: unknown): string {
  if (error instanceof UsageError) return error.message
  if (error instanceof InputError) return formatFailureLines(error).join('\n')
  throw error
}

/** Returns the result of `answer`; after an input error, that of `failed`. */
export function catchFailure<Answer>(answer: () => Answer, failed: (problem: string) => Answer): Answer {
  try {
    return answer()
  } catch (error) {
    return failed(formatFailure(error))
  }
}
