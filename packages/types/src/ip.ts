/** The two address families, as Kubernetes spells them. */
export type IpFamily = 'IPv4' | 'IPv6'

export const IP_FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6']

/** An address in its one canonical spelling: dotted decimal, or RFC 5952 lower case. */
export interface IpAddress {
  readonly family: IpFamily
  readonly text: string
}

/** STUB to be written. */
export function parseIp(_text: string): IpAddress | undefined {
  throw new Error('not written')
}
