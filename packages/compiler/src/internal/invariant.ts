const PREFIX = 'This is a bug in kube-rules: '

/**
 * Throws if `condition` is false. Use this function only to check internal guarantees of this library, never to check
 * input.
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(PREFIX + message)
}

/** Reports whether an error was thrown by `invariant`. */
export function isInvariantError(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(PREFIX)
}
