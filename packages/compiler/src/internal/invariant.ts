/** Throws when `condition` does not hold: something this library promises itself, never a matter of the input. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`This is a bug in kube-rules: ${message}`)
}
