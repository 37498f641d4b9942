import { type ProxyMode, versionsOf } from '@kube-rules/compiler'
import type { Logger } from './log.js'

/** Returns the version of kube-proxy to emulate: that of the Node, or the nearest that the mode is known in. */
export function versionOfNode(node: unknown, mode: ProxyMode, log: Logger): string | undefined {
  const info = (node as { status?: { nodeInfo?: Readonly<Record<string, string>> } } | undefined)?.status?.nodeInfo
  const text = info?.kubeProxyVersion || info?.kubeletVersion
  const minor = /^v?(\d+\.\d+)/.exec(text ?? '')?.[1]
  const known = versionsOf(mode)
  if (minor !== undefined && known.includes(minor)) return minor
  if (minor === undefined) {
    log.warning('the Node has no version', { assumed: known.at(-1) })
    return known.at(-1)
  }
  const nearest = Number(minor.split('.')[1]) < Number(known[0]?.split('.')[1]) ? known[0] : known.at(-1)
  log.warning('no rules are known for the version of the Node', { version: minor, assumed: nearest })
  return nearest
}
