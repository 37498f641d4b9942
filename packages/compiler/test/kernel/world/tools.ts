import type { IpFamily } from '@kube-rules/types'
import type { Backend } from '../../../src/dataplane/tool-options.js'

export const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6']
export const BACKENDS: readonly Backend[] = ['nft', 'legacy']

export interface IptablesTools {
  readonly command: string
  readonly restore: string
  readonly save: string
}

export function iptablesTools(family: IpFamily, backend: Backend): IptablesTools {
  const command = `${family === 'IPv4' ? 'iptables' : 'ip6tables'}-${backend}`
  return { command, restore: `${command}-restore`, save: `${command}-save` }
}

/** The lines of a dump but for those that begin with `#`, which have versions and times. */
export function withoutComments(text: string): string {
  return text.replace(/^#.*\n/gm, '')
}

/** A dump of ipset without what the kernel makes up. */
export function withoutMadeUp(text: string): string {
  return text.replace(/ bucketsize \d+ initval 0x[0-9a-f]+$/gm, '')
}
