import type { Protocol } from '@kube-rules/types'

/** An address and port that a state is looked up by; without address a port of the node. */
export interface StateFrontend {
  /** Whose it is: `default/web:http/TCP`; empty where that is not known. */
  readonly owner: string
  readonly protocol: Protocol
  readonly address?: string | undefined
  readonly port: number
}

/** An address and port of the node at which a process takes the connections of service ports. */
export interface ProxyPlace {
  /** Of which service port, without its protocol (`default/web:http`); empty where that is not known. */
  readonly servicePort: string
  readonly protocol: Protocol
  /** Absent: whichever of the node's addresses. */
  readonly address?: string | undefined
  readonly port: number
}
