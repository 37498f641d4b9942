/** The addresses of one family on the device `kube-ipvs0`, which make the node answer for them. */
export interface AddressState {
  /** Canonical, without prefix length, each once, in code-unit order. */
  readonly addresses: readonly string[]
  /** Who asks for which; `addresses` are these put together. Absent where that is not known. */
  readonly contributions?: readonly AddressContribution[] | undefined
}

/** The addresses that one owner asks for. */
export interface AddressContribution {
  /** An opaque label. */
  readonly owner: string
  readonly boundAddresses: readonly string[]
}
