/** Throws if `condition` is false. Checks an internal guarantee of this library, never the input. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`This is a bug in kube-rules: ${message}`)
}
