import { type CompileResult, cleanStaleEntries, parseConntrack } from '@kube-rules/compiler'
import type { TextSource } from '../cluster/text-source.js'
import { formatCount } from '../messages/lines.js'
import { formatStaleConnections } from './connections.js'
import { formatReportedMode } from './proxy-mode.js'

/**
 * Returns problems in the proxy mode, in kernel settings and in connections, as complete lines. The output of `collect`
 * contains the settings and UDP connections as comments; pasted output of `sysctl` and `conntrack -L` counts as well. The
 * lines are about settings that prevent packets from reaching Services, and about connections to addresses that are not
 * endpoints.
 */
export function formatNodeSettings(sources: readonly TextSource[], result: CompileResult): readonly string[] {
  const lines = sources.flatMap(({ text }) => Array.from(text.matchAll(FACT), ([, line]) => line ?? ''))
  return [
    ...formatReportedMode(sources, result),
    ...settingLines(lines, result),
    ...connectionLines(lines, result),
    ...formatStaleConnections(sources, result),
  ]
}

/** Matches a kernel setting or a UDP connection, also as a comment or in a quotation. */
const FACT = /^[> \t]*(?:# )?((?:net\.|(?:ipv[46]\s+\d+\s+)?udp\s).*)$/gm

/** A kernel setting that Services require. */
interface Requirement {
  readonly name: string
  readonly value: string
  /** The effect if the setting has another value than `value`. */
  readonly effect: string
}

function settingLines(comments: readonly string[], result: CompileResult): readonly string[] {
  const settings = new Map(comments.flatMap((line) => settingOf(line)))
  return requirementsOf(result).flatMap(({ name, value, effect }) => {
    const actual = settings.get(name)
    if (actual === undefined || actual === value) return []
    return [`warning: ${name} is ${actual} on the node (expected ${value}): ${effect}; sysctl -w ${name}=${value}`]
  })
}

/** Parses a line of sysctl(8). */
function settingOf(line: string): readonly (readonly [string, string])[] {
  const [, name, value] = /^(net\.[\w.-]+) ?= ?(\d+)\s*$/.exec(line) ?? []
  return name === undefined || value === undefined ? [] : [[name, value]]
}

function requirementsOf({ mode, families }: CompileResult): readonly Requirement[] {
  const plans = families.map(({ plan }) => plan).filter(({ services }) => services.length > 0)
  const has = (family: string) => plans.some((plan) => plan.family === family)
  const hasLocalNodePorts = plans.some(
    ({ family, kernel, localhostNodePorts, services }) =>
      family === 'IPv4' &&
      kernel.features.localhostNodePorts &&
      localhostNodePorts &&
      services.some(({ frontends }) => frontends.some(({ kind }) => kind === 'nodePort')),
  )
  const forwarding = 'the node forwards no packets to pods and other nodes'
  const bridges = 'packets between pods on one Linux bridge bypass the rules, so that replies have the address of a pod'
  const ofMode = families.flatMap(({ hostRequirements }) => hostRequirements?.sysctls ?? [])
  const own = new Map(ofMode.filter(({ kernels }) => kernels === undefined).map(({ name, value }) => [name, value]))
  const all: readonly Requirement[] = [
    ...(has('IPv4') ? [{ name: 'net.ipv4.ip_forward', value: '1', effect: forwarding }] : []),
    ...(has('IPv6') ? [{ name: 'net.ipv6.conf.all.forwarding', value: '1', effect: forwarding }] : []),
    ...(has('IPv4') ? [{ name: 'net.bridge.bridge-nf-call-iptables', value: '1', effect: bridges }] : []),
    ...(has('IPv6') ? [{ name: 'net.bridge.bridge-nf-call-ip6tables', value: '1', effect: bridges }] : []),
    ...(hasLocalNodePorts
      ? [
          {
            name: 'net.ipv4.conf.all.route_localnet',
            value: '1',
            effect: 'node ports are unreachable at 127.0.0.1',
          },
        ]
      : []),
    ...Array.from(own, ([name, value]) => ({ name, value, effect: `kube-proxy sets it in ${mode} mode` })),
  ]
  return [...new Map([...all].reverse().map((each) => [each.name, each])).values()].reverse()
}

/** The maximum number of conntrack commands that are printed. */
const MAX_COMMANDS = 5

function connectionLines(comments: readonly string[], result: CompileResult): readonly string[] {
  const entries = parseConntrack(comments.filter((line) => /^(?:ipv[46]\s+\d+\s+)?udp\s/.test(line)).join('\n'))
  const commands = cleanStaleEntries(result, entries)
  const more = commands.length - MAX_COMMANDS
  return [
    ...commands
      .slice(0, MAX_COMMANDS)
      .map(({ args }) => `warning: UDP connections are stale; to delete them, run conntrack ${args.join(' ')}`),
    ...(more > 0 ? [`warning: … and ${formatCount(more, 'more deletion')} of UDP connections`] : []),
  ]
}
