/** What becomes of a packet. */
export type Outcome =
  /** An endpoint gets it. */
  | {
      readonly kind: 'delivered'
      readonly address: string
      readonly port: number
      /** Whether the endpoint sees an address of the node as its source. */
      readonly masqueraded: boolean
    }
  /** A process of the node itself takes the connection, at this port, and opens one of its own to an endpoint. */
  | { readonly kind: 'proxy'; readonly port: number }
  /** Its sender is told, with an answer such as `icmp-port-unreachable`. */
  | { readonly kind: 'rejected'; readonly with: string }
  | { readonly kind: 'dropped' }
  /** Its destination stays what it is: an address of the node itself, or one beyond it. */
  | { readonly kind: 'passes'; readonly to: 'node' | 'network'; readonly masqueraded: boolean }
  | { readonly kind: 'unknown'; readonly reason: string }
