import { describe, expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import { diff } from '../../src/diff/diff.js'
import { joinMissingJumps, postponeDeletions, skipCounterChecks } from '../../src/proxy/fewer-processes.js'
import { permanentRulesOf } from '../../src/proxy/permanent-rules.js'
import { NONE_TERMINATING, parseConnections, planTermination } from '../../src/proxy/plan-termination.js'
import { createTracker } from '../../src/tracker/tracker.js'
import { at, service, slice } from '../support/objects.js'
import { readDump } from '../support/read-dump.js'
import { web } from '../support/web-results.js'

const NFTABLES = { families: ['IPv4'], mode: 'nftables', kubernetesVersion: '1.34' } as const

describe('permanentRulesOf', () => {
  it('returns a rule of each table, and a virtual server', () => {
    const commandsOf = (mode: 'iptables' | 'ipvs') =>
      permanentRulesOf(web(['10.244.1.1'], { mode, families: ['IPv4'] })).map(
        ({ tool, args }) => `${tool} ${args.at(-2)} ${args.at(-1)}`,
      )
    const rules = [
      'iptables -S PREROUTING',
      'iptables KUBE-SERVICES 1',
      'iptables -S KUBE-POSTROUTING',
      'iptables -S KUBE-FORWARD',
    ]
    expect(commandsOf('iptables')).toEqual(rules)
    expect(commandsOf('ipvs')).toEqual(['ipvsadm undefined -Ln', ...rules])
    expect(permanentRulesOf(web(['10.244.1.1'], NFTABLES))).toEqual([
      { tool: 'nft', args: ['list', 'chain', 'ip', 'kube-proxy', 'services'], expected: ' vmap ' },
    ])
  })
})

/** Returns the commands of an update from a dump, with and without `joinMissingJumps`. */
function updateFrom(text: string) {
  const tracker = createTracker({ nodeName: 'node-1', families: ['IPv4'] })
  const dump = readDump(text)
  tracker.resync(dump)
  const commands = toCommands(tracker.sync().patch)
  return { commands, joined: joinMissingJumps(commands, dump) }
}

describe('joinMissingJumps', () => {
  const EMPTY = ['nat', 'filter'].map((table) => `*${table}\n:INPUT ACCEPT [0:0]\nCOMMIT\n`).join('')

  it('inserts the jumps with the rules instead of one process per jump', () => {
    const { commands, joined } = updateFrom(EMPTY)
    const jumps = commands.filter(({ skipIf }) => skipIf !== undefined)
    const others = commands.filter(({ skipIf }) => skipIf === undefined)
    expect(joined.length).toBeLessThanOrEqual(others.length)
    const input = joined.map((each) => each.input).join('')
    for (const { args } of jumps) expect(input).toContain(`\n${args.slice(4).join(' ')}\n`)
  })

  it('inserts no jump that the dump has', () => {
    const line = '-I INPUT -j KUBE-FIREWALL'
    const held = '*filter\n:INPUT ACCEPT [0:0]\n:KUBE-FIREWALL - [0:0]\n-A INPUT -j KUBE-FIREWALL\nCOMMIT\n'
    const inputOf = (text: string) =>
      updateFrom(text)
        .joined.map(({ input }) => input)
        .join('')
    expect(inputOf(EMPTY)).toContain(line)
    expect(inputOf(held)).not.toContain(line)
  })
})

describe('skipCounterChecks', () => {
  it('adds each missing counter once, without a check', () => {
    const add = (name: string) => ({ tool: 'nfacct', args: ['add', name], input: '', purpose: 'create' })
    const checked = (name: string) => ({ ...add(name), skipIf: ['get', name] })
    const restore = { tool: 'iptables-restore', args: [], input: '*nat\n', purpose: 'write' }
    const commands = [checked('held'), checked('missing'), restore, checked('missing')]
    expect(skipCounterChecks(commands, ['held'])).toEqual([add('missing'), restore])
  })
})

describe('postponeDeletions', () => {
  const commandsOf = (before: string, after: string) =>
    toCommands(diff(web([before], NFTABLES), web([after], NFTABLES)), { keepsConnections: true })

  it('joins the deletion of chains and the next transaction', () => {
    const first = postponeDeletions(commandsOf('10.244.1.1', '10.244.1.2'), [])
    expect(first.commands).toHaveLength(1)
    expect(first.later.map(({ input }) => input)).toEqual([
      expect.stringMatching(/^delete chain .*__10\.244\.1\.1\/\d+\n$/),
    ])
    const second = postponeDeletions(commandsOf('10.244.1.2', '10.244.1.3'), first.later)
    expect(second.commands).toHaveLength(1)
    expect(second.commands[0]?.input.startsWith(first.later[0]?.input ?? '?')).toBe(true)
  })

  it('deletes chains in a transaction of their own if the next one adds them again, and without a next one', () => {
    const { later } = postponeDeletions(commandsOf('10.244.1.1', '10.244.1.2'), [])
    const [deletion, ...others] = postponeDeletions(commandsOf('10.244.1.2', '10.244.1.1'), later).commands
    expect([deletion]).toEqual(later)
    expect(others).toHaveLength(1)
    expect(postponeDeletions([], later)).toEqual({ commands: later, later: [] })
  })
})

describe('planTermination', () => {
  const LIST = (connections: string) =>
    `Prot LocalAddress:Port Scheduler Flags\nTCP  10.96.0.1:80 rr\n  -> 10.244.1.2:8080 Masq 0 ${connections}\n`

  it('keeps a real server until its connections end', () => {
    const tracker = createTracker({ nodeName: 'node-1', families: ['IPv4'], mode: 'ipvs' })
    tracker.upsert(service(), 'Service')
    const plan = (before: typeof NONE_TERMINATING, connections: string, ...addresses: readonly string[]) => {
      tracker.upsert(slice(at(...addresses)), 'EndpointSlice')
      return planTermination(before, tracker.sync(), undefined, parseConnections(LIST(connections)))
    }
    const start = plan(NONE_TERMINATING, '0 0', '10.244.1.1', '10.244.1.2').next
    expect(start.keys).toEqual([])
    const removed = plan(start, '1 0', '10.244.1.1')
    expect(removed.next.keys).toEqual(['10.96.0.1:80/TCP/10.244.1.2:8080'])
    const busy = plan(removed.next, '0 1', '10.244.1.1')
    expect([busy.commands, busy.left.keys]).toEqual([[], removed.next.keys])
    const ended = plan(busy.next, '0 0', '10.244.1.1')
    expect(ended.commands.map(({ input }) => input)).toEqual(['-d -t 10.96.0.1:80 -r 10.244.1.2:8080\n'])
    expect(ended.next.keys).toEqual([])
  })
})
