import type { IpFamily } from './ip.js'

/** A network: `text` is the masked canonical form, `10.1.2.3/8` reads as `10.0.0.0/8`. */
export interface Cidr {
  readonly family: IpFamily
  readonly text: string
  /** The network address, `10.0.0.0`. */
  readonly address: string
  readonly prefixLength: number
}
