import type { IpFamily } from '@kube-rules/types'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'

export const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6']
export const BACKENDS: readonly IptablesBackend[] = ['nft', 'legacy']

export interface IptablesTools {
  readonly command: string
  readonly restore: string
  readonly save: string
}

export function iptablesTools(family: IpFamily, backend: IptablesBackend): IptablesTools {
  const command = `${family === 'IPv4' ? 'iptables' : 'ip6tables'}-${backend}`
  return { command, restore: `${command}-restore`, save: `${command}-save` }
}

/** Removes the lines of a dump that start with `#`, which contain versions and times. */
export function withoutComments(text: string): string {
  return text.replace(/^#.*\n/gm, '')
}

/** Removes generated values of the kernel from an ipset dump. */
export function withoutMadeUp(text: string): string {
  return text.replace(/ bucketsize \d+ initval 0x[0-9a-f]+$/gm, '')
}
