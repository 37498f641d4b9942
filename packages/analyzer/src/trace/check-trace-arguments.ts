import { checkList, checkObject, checkStrings } from '@kube-rules/compiler/internal/arguments/check-argument'

/** Checks that an argument is a trace context. */
export function checkTraceContext(name: string, value: unknown): void {
  const { addresses, affinity } = checkObject(name, value, 'an object with addresses and affinity entries')
  if (addresses !== undefined) checkStrings(name, addresses, 'a list of addresses', 'addresses')
  if (affinity === undefined) return
  const expected = 'a list of affinity entries'
  checkList(name, affinity, expected, 'affinity').forEach((entry, index) => {
    checkObject(name, entry, 'an affinity entry', `affinity[${index}]`)
  })
}
