/** The addresses of one family on the device `kube-ipvs0`, which make them local to the node. */
export interface AddressState {
  /** Canonical, without prefix length, distinct, in code-unit order. */
  readonly addresses: readonly string[]
  /** The addresses by owner; `addresses` is their union. Absent if unknown. */
  readonly contributions?: readonly AddressContribution[] | undefined
}

/** The addresses that one owner requires. */
export interface AddressContribution {
  /** The owner, an opaque label. */
  readonly owner: string
  readonly boundAddresses: readonly string[]
}
