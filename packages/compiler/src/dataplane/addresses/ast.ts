/** The addresses of one family on the device `kube-ipvs0`. An address on this device is local to the node. */
export interface AddressState {
  /** The addresses in canonical form, without prefix length, distinct, and in code-unit order. */
  readonly addresses: readonly string[]
  /** The addresses by owner. `addresses` is the union of these addresses. Absent if the owners are unknown. */
  readonly contributions?: readonly AddressContribution[] | undefined
}

/** The addresses that one owner requires. */
export interface AddressContribution {
  /** The owner as an opaque label. */
  readonly owner: string
  /** The addresses in canonical form, without prefix length. */
  readonly boundAddresses: readonly string[]
}
