const PREFIX = 'This is a bug in kube-rules: '

/** Throws if `condition` is false. Checks an internal guarantee of this library, never the input. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(PREFIX + message)
}

/** Reports whether an error was thrown by `invariant`. */
export function isInvariantError(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(PREFIX)
}
