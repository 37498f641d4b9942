import type { Protocol } from '@kube-rules/types'

/**
 * An address and port that the rules of a state match on as a destination. If the address is absent, the port is a node
 * port.
 */
export interface StateFrontend {
  /** The owner: `default/web:http/TCP`; empty if unknown. */
  readonly owner: string
  readonly protocol: Protocol
  readonly address?: string | undefined
  readonly port: number
}

/** A local address and port of a process that accepts the connections of service ports. */
export interface ProxyListener {
  /** The service port, without its protocol (`default/web:http`); empty if unknown. */
  readonly servicePort: string
  readonly protocol: Protocol
  /** The address. Absent if the process listens on any address of the node. */
  readonly address?: string | undefined
  readonly port: number
}
