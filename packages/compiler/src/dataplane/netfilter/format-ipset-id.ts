/** Returns the resource id of a set, `ipset KUBE-CLUSTER-IP`, which rules with a match on the set refer to. */
export function formatIpsetId(name: string): string {
  return `ipset ${name}`
}
