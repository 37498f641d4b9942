/** Returns the resource id of a set: `ipset KUBE-CLUSTER-IP`. Rules that match on the set refer to this id. */
export function formatIpsetId(name: string): string {
  return `ipset ${name}`
}
