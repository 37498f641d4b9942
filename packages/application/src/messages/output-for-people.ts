/** A message that rejects the output of `kubectl describe`, and names a better command. */
export const OUTPUT_FOR_PEOPLE =
  'this is the output of kubectl describe or of kubectl get without -o yaml, which omits fields; run kubectl get TYPE NAME -o yaml instead'
