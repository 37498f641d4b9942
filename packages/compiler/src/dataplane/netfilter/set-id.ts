/** `ipset KUBE-CLUSTER-IP`: the id of a set's resource, which rules that match the set refer to. */
export function setId(name: string): string {
  return `ipset ${name}`
}
