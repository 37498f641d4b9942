import { failureLines, InputError, UsageError } from '@kube-rules/application/messages'

/** What the command would say where something cannot be done for what it was given. Throws any other error again. */
export function failureText(error: unknown): string {
  if (error instanceof UsageError) return error.message
  if (error instanceof InputError) return failureLines(error).join('\n')
  throw error
}

/** An answer, or one that says why there is none. */
export function answerOr<Answer>(answer: () => Answer, failed: (problem: string) => Answer): Answer {
  try {
    return answer()
  } catch (error) {
    return failed(failureText(error))
  }
}
