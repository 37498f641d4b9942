import { describe, expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import { createTracker } from '../../src/tracker/tracker.js'
import type { Tracker } from '../../src/tracker/tracker-types.js'

const JUMPS = [
  ['-w', '5', '-t', 'filter', '-I', 'INPUT', '-j', 'KUBE-FIREWALL'],
  ['-w', '5', '-t', 'filter', '-I', 'OUTPUT', '-j', 'KUBE-FIREWALL'],
]

function trackerIn(mode: 'iptables' | 'nftables'): Tracker {
  return createTracker({ nodeName: 'node-1', families: ['IPv4'], configuration: { mode } })
}

function changeTo(tracker: Tracker, mode: 'iptables' | 'nftables'): readonly ToolCommand[] {
  tracker.upsert({ kind: 'KubeProxyConfiguration', mode } as never)
  return applied(tracker)
}

/** Returns the commands of an update, and marks the update as applied. */
function applied(tracker: Tracker): readonly ToolCommand[] {
  const { patch } = tracker.sync()
  tracker.markApplied()
  return toCommands(patch)
}

/** Reports whether a command names KUBE-FIREWALL of the filter table. In the nat table, old versions of kube-proxy have one. */
function namesFirewall({ args, input }: ToolCommand): boolean {
  const filterTables = input.split(/^\*/m).filter((table) => table.startsWith('filter\n'))
  return [...args, ...filterTables].some((text) => text.includes('KUBE-FIREWALL'))
}

// Kubelets make the chain, its rule and the jumps to it, too; kube-proxy leaves them when it stops.
describe('the chain KUBE-FIREWALL that kubelets also create', () => {
  it('is kept when the mode changes', () => {
    const tracker = trackerIn('iptables')
    applied(tracker)
    expect(changeTo(tracker, 'nftables').filter(namesFirewall)).toEqual([])
  })

  it('is kept when an interrupted mode change is repeated', () => {
    const tracker = trackerIn('iptables')
    applied(tracker)
    changeTo(tracker, 'nftables')
    tracker.markFailed()
    expect(applied(tracker).filter(namesFirewall)).toEqual([])
  })

  it('gets its missing jumps when the mode changes to iptables', () => {
    const tracker = trackerIn('nftables')
    applied(tracker)
    const commands = changeTo(tracker, 'iptables')
    expect(
      commands.filter(({ tool }) => tool === 'iptables').map(({ args, skipIf }) => ({ args, unless: skipIf })),
    ).toEqual(JUMPS.map((args) => ({ args, unless: args.map((word) => (word === '-I' ? '-C' : word)) })))
    expect(commands.some(({ input }) => input.includes('-j KUBE-FIREWALL'))).toBe(false)
  })

  it('keeps a rule that the configuration no longer requires, and later gets a missing rule', () => {
    const tracker = trackerIn('iptables')
    applied(tracker)
    const changeLocalhost = (localhostNodePorts: boolean) => {
      tracker.upsert({ kind: 'KubeProxyConfiguration', mode: 'iptables', iptables: { localhostNodePorts } } as never)
      return applied(tracker)
    }
    expect(changeLocalhost(false).filter(namesFirewall)).toEqual([])
    const guard = [
      ...['KUBE-FIREWALL', '-m', 'comment', '--comment', 'block incoming localnet connections', '-d', '127.0.0.0/8'],
      ...['!', '-s', '127.0.0.0/8', '-m', 'conntrack', '!', '--ctstate', 'RELATED,ESTABLISHED,DNAT', '-j', 'DROP'],
    ]
    expect(changeLocalhost(true).filter(namesFirewall)).toEqual([
      {
        tool: 'iptables',
        args: ['-w', '5', '-t', 'filter', '-A', ...guard],
        input: '',
        purpose: 'add a rule to KUBE-FIREWALL',
        skipIf: ['-w', '5', '-t', 'filter', '-C', ...guard],
      },
    ])
  })
})
