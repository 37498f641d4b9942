/** The outcome of a packet. */
export type Outcome =
  /** An endpoint receives it. */
  | {
      readonly kind: 'delivered'
      readonly address: string
      readonly port: number
      /** Whether the endpoint sees an address of the node as the source of the packet. */
      readonly masqueraded: boolean
    }
  /** A local process accepts the connection on this port, and opens its own connection to an endpoint. */
  | { readonly kind: 'proxy'; readonly port: number }
  /** The packet is rejected. Its sender receives an error such as `icmp-port-unreachable`. */
  | { readonly kind: 'rejected'; readonly with: string }
  | { readonly kind: 'dropped' }
  /**
   * No rule of kube-proxy matches the packet, so its destination is unchanged. The destination is an address of the
   * node or of the network beyond the node.
   */
  | { readonly kind: 'unmatched'; readonly to: 'node' | 'network'; readonly masqueraded: boolean }
  | { readonly kind: 'unknown'; readonly reason: string }
