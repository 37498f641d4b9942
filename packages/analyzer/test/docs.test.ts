import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CommandInvocation } from '../../compiler/src/commands/run-commands.js'
import { compile } from '../../compiler/src/compilation/compile.js'
import type { CompileInput } from '../../compiler/src/compilation/compile-result.js'
import { print } from '../../compiler/src/print/print.js'
import { createTracker } from '../../compiler/src/tracker/tracker.js'
import { iptablesStates } from '../../compiler/test/support/compiled.js'
import { loaded, textsOf } from '../../compiler/test/support/iptables-states.js'
import { LIMITATIONS_OF_MODE } from '../../compiler/test/support/limitations.js'
import { afterRuns, EMPTY_MACHINE, isThere, type Machine } from '../../compiler/test/support/machine.js'
import { at, service, slice } from '../../compiler/test/support/objects.js'
import { printFamily } from '../../compiler/test/support/print-family.js'
import { PLAN_DIFFERENCES } from '../src/plan/plan-differences.js'
import { VIEW_KINDS } from '../src/view/view.js'

function codeOf(page: string): readonly string[] {
  return Array.from(textOf(`../../../docs/${page}`).matchAll(/^```ts\n(.*?)^```$/gms), ([, text]) => text ?? '')
}

function textOf(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}

describe('docs/how-to/update-a-node.md', () => {
  const SERVICE = { kind: 'Service', ...service() }
  const ONE = { kind: 'EndpointSlice', ...slice(at('10.244.1.1')) }
  const TWO = { kind: 'EndpointSlice', ...slice(at('10.244.1.1', '10.244.1.2')) }

  it('contains the example code of this test', () => {
    expect(codeOf('how-to/update-a-node.md')).toEqual([textOf('docs/controller.ts')])
  })

  it('shows a controller that updates a node, and recovers after a failure', async () => {
    const { onEvent, sync } = await import('./docs/controller.js')
    let machine: Machine = EMPTY_MACHINE
    const execute = async (command: CommandInvocation) => {
      if (command.onNonZeroExit === 'runNext') return isThere(machine, command)
      machine = afterRuns(machine, [{ ...command, allowFailure: command.onNonZeroExit === 'ignore' }])
      return true
    }
    const input = { configuration: { clusterCIDR: '10.244.0.0/16' }, services: [SERVICE] }
    const expected = (...endpointSlices: readonly (typeof ONE)[]) =>
      iptablesStates(compile({ ...input, endpointSlices }, { nodeName: 'node-1' })).map((state) =>
        textsOf(loaded(state)),
      )
    const held = () => [textsOf(machine.IPv4), textsOf(machine.IPv6)]

    expect(onEvent({ type: 'ADDED', object: SERVICE })).toBe(true)
    expect(onEvent({ type: 'ADDED', object: ONE })).toBe(true)
    expect(onEvent({ type: 'ADDED', object: { kind: 'Pod' } })).toBe(false)
    expect(await sync(execute)).toBe(true)
    expect(held()).toEqual(expected(ONE))

    onEvent({ type: 'MODIFIED', object: TWO })
    expect(await sync(async () => false)).toBe(false)
    expect(held()).toEqual(expected(ONE))
    expect(await sync(execute)).toBe(true)
    expect(held()).toEqual(expected(TWO))

    onEvent({ type: 'BOOKMARK', object: TWO })
    expect(await sync(async () => false)).toBe(true)
  })
})

describe('docs/how-to/recover-a-node.md', () => {
  const INPUT = {
    services: [service({ ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] })],
    endpointSlices: [slice(at('10.244.1.1'), { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] })],
  }

  it('contains the example code of this test', () => {
    expect(codeOf('how-to/recover-a-node.md')).toEqual([textOf('docs/recovery.ts'), textOf('docs/find-problems.ts')])
  })

  it('shows a test of a proxy that finds a missed event and a missing rule', async () => {
    const { findProblems } = await import('./docs/find-problems.js')
    const options = { nodeName: 'node-1', families: ['IPv4'] } as const
    const tracker = createTracker(options)
    for (const item of INPUT.services) tracker.upsert(item, 'Service')
    const update = tracker.sync()
    const rules = printFamily(update.result, { family: 'IPv4', format: 'save' })
    const input = { services: INPUT.services }
    expect(findProblems({ update, input, options, rules })).toEqual([])
    expect(findProblems({ update, input: INPUT, options, rules })).toEqual(['the tracker missed an event'])
    const lost = rules.replace(/-A KUBE-MARK-MASQ .*\n/, '')
    expect(findProblems({ update, input, options, rules: lost })).toEqual(['the node has other rules than the tracker'])
    expect(findProblems({ update, input, options, rules: 'nonsense' })).toEqual([expect.stringMatching(/^expected /)])
  })

  it('shows an update that restores a missing rule, and deletes stale connections', async () => {
    const { sync } = await import('./docs/recovery.js')
    const tracker = createTracker({ nodeName: 'node-1', families: ['IPv4'] })
    for (const item of INPUT.services) tracker.upsert(item, 'Service')
    for (const item of INPUT.endpointSlices) tracker.upsert(item, 'EndpointSlice')
    const expected = printFamily(compile(INPUT, { nodeName: 'node-1', families: ['IPv4'] }), {
      family: 'IPv4',
      format: 'save',
    })
    let rules = expected.replace(/-A KUBE-MARK-MASQ .*\n/, '')
    const commands: CommandInvocation[] = []
    const tools = {
      execute: async (command: CommandInvocation) => commands.push(command) > 0,
      readRules: async () => rules,
      readConnections: async () =>
        'udp 17 29 src=10.244.9.1 dst=10.96.0.1 sport=4000 dport=53 src=10.244.1.9 dst=10.244.9.1 sport=53 dport=4000\n',
    }
    expect(await sync(tracker, tools, true)).toBe(true)
    expect(commands.map(({ tool }) => tool)).toEqual(['iptables-restore', 'conntrack'])
    expect(commands[0]?.input).toMatch(/^-I KUBE-MARK-MASQ 1 -j MARK /m)

    rules = 'nonsense'
    await expect(sync(tracker, tools, true)).rejects.toThrow(/^expected the output of /)
    for (const item of INPUT.endpointSlices) tracker.delete(item, 'EndpointSlice')
    expect(await sync(tracker, { ...tools, execute: async () => false }, false)).toBe(false)
  })
})

describe('docs/how-to/many-nodes.md', () => {
  const nodes = ['node-1', 'node-2'].map((name) => ({ metadata: { name } }))
  const inputOf = (...addresses: readonly string[]) => ({
    services: [service({ internalTrafficPolicy: 'Local' })],
    endpointSlices: [slice(at(...addresses).map((endpoint) => ({ ...endpoint, nodeName: 'node-2' })))],
    nodes,
  })

  it('contains the example code of this test', () => {
    expect(codeOf('how-to/many-nodes.md')).toEqual([textOf('docs/many-nodes.ts')])
  })

  it('prints the rules of every node', async () => {
    const { printNodes } = await import('./docs/many-nodes.js')
    const texts = new Map<string, string>()
    printNodes(inputOf('10.244.1.1'), (nodeName, text) => texts.set(nodeName, text))
    expect([...texts.keys()]).toEqual(['node-1', 'node-2'])
    for (const [nodeName, text] of texts) {
      const { families } = compile(inputOf('10.244.1.1'), { nodeName })
      expect(text).toBe(families.map(({ state }) => print(state)).join(''))
    }
  })

  it('shows the changes of each node', async () => {
    const { updateNodes } = await import('./docs/many-nodes.js')
    const changed = (input: CompileInput) => {
      const names: string[] = []
      updateNodes(input, (nodeName, { families }) => families.length > 0 && names.push(nodeName))
      return names
    }
    const first = inputOf('10.244.1.1')
    expect(changed(first)).toEqual(['node-1', 'node-2'])
    expect(changed(first)).toEqual([])
    expect(changed(inputOf('10.244.1.1', '10.244.1.2'))).toEqual(['node-2'])
  })

  it('counts the lines that each node has to load', async () => {
    const { planChange } = await import('./docs/many-nodes.js')
    const lines: string[] = []
    planChange(inputOf('10.244.1.1'), inputOf('10.244.1.1', '10.244.1.2'), (line) => lines.push(line))
    // *nat, the chain of the endpoint, its two rules, the changed rule of the Service, its new rule, and COMMIT.
    expect(lines).toEqual(['node-2: 7 lines'])
    planChange(inputOf('10.244.1.1'), { ...inputOf('10.244.1.1'), nodes: nodes.slice(0, 1) }, (line) =>
      lines.push(line),
    )
    expect(lines.at(-1)).toMatch(/^node-2: \d+ lines$/)
    planChange({ services: [], endpointSlices: [], nodes: [] }, inputOf(), (line) => lines.push(line))
    expect(lines).toHaveLength(4)
  })

  it('finds the nodes with other digests', async () => {
    const { changedNodes } = await import('./docs/many-nodes.js')
    const digests = new Map<string, string>()
    expect(changedNodes(inputOf('10.244.1.1'), digests)).toEqual(['node-1', 'node-2'])
    expect(changedNodes(inputOf('10.244.1.1'), digests)).toEqual([])
    expect(changedNodes(inputOf('10.244.1.1', '10.244.1.2'), digests)).toEqual(['node-2'])
  })
})

describe('docs/reference/limitations.md', () => {
  it('lists the differences between plans of two modes', () => {
    const rows = PLAN_DIFFERENCES.map(({ code, reason }) => `| \`${code}\` | ${reason} |\n`).join('')
    expect(textOf('../../../docs/reference/limitations.md')).toContain(
      `\n| difference | deviation |\n|---|---|\n${rows}`,
    )
  })

  it.each([
    ['iptables', LIMITATIONS_OF_MODE.iptables],
    ['ipvs', LIMITATIONS_OF_MODE.ipvs],
    ['nftables', LIMITATIONS_OF_MODE.nftables],
    ['userspace', LIMITATIONS_OF_MODE.userspace],
  ])('lists the limitations of %s mode', (mode, limitations) => {
    const rows = limitations.map(({ code, reason }) => `| \`${code}\` | ${reason} |\n`).join('')
    const heading = `| limitation of ${mode} mode | deviation |\n|---|---|\n`
    expect(textOf('../../../docs/reference/limitations.md')).toContain(`\n${heading}${rows}\n`)
  })
})

describe('docs/how-to/trace-packets.md', () => {
  it('contains the example code of this test, and its output', async () => {
    const { compiledPath } = await import('./docs/tracing.js')
    expect(codeOf('how-to/trace-packets.md')).toEqual([textOf('docs/tracing.ts')])
    expect(textOf('../../../docs/how-to/trace-packets.md')).toContain(`\n\`\`\`\n${compiledPath()}\`\`\`\n`)
  })

  it('shows a trace of a dump', async () => {
    const { livePath } = await import('./docs/tracing.js')
    const rule = '-A PREROUTING -d 10.96.0.10/32 -j DNAT --to-destination 10.244.1.5:8080'
    expect(livePath(`*nat\n${rule}\nCOMMIT\n`)).toEqual(['1 delivered'])
    expect(livePath('*nat\nnonsense\nCOMMIT\n')).toEqual([expect.stringMatching(/^2: /)])
  })
})

describe('docs/how-to/verify-a-node.md', () => {
  it('contains the example code of this test', () => {
    expect(codeOf('how-to/verify-a-node.md')).toEqual([textOf('docs/findings.ts')])
  })

  it('shows the drift of a node', async () => {
    const { findings } = await import('./docs/findings.js')
    const input = { services: [service()], endpointSlices: [slice(at('10.244.1.1'))] }
    const desired = compile(input, { nodeName: 'node-1', families: ['IPv4'] })
    const text = printFamily(desired, { family: 'IPv4', format: 'save' })
    expect(findings(desired, text)).toEqual([])
    expect(findings(desired, text.replace(/-A KUBE-MARK-MASQ .*\n/, ''))).toEqual([
      ' nat/KUBE-MARK-MASQ: packets that should be masqueraded keep their source address, so replies may bypass the node',
    ])
    expect(findings(desired, '')).toEqual(['the dump has no tables, as printed by iptables-save'])
    expect(findings(desired, 'x')).toEqual([
      'expected the output of nft list ruleset, ipset save, ipvsadm -Sn, ip -o address show dev kube-ipvs0 or iptables-save\n1 | x\n  | ^',
    ])
  })
})

describe('docs/how-to/compare.md', () => {
  it('contains the example code of this test', () => {
    expect(codeOf('how-to/compare.md')).toEqual([textOf('docs/compare.ts')])
  })

  it('shows the effects of a migration', async () => {
    const { migration } = await import('./docs/compare.js')
    const [text] = migration({ services: [service()], endpointSlices: [slice(at('10.244.1.1'))] })
    expect(text).toMatch(
      /^differs: [\s\S]*\n {2}ipvs: rejected with icmp-port-unreachable\n {2}nftables: not handled by kube-proxy\n|differences? in/,
    )
  })
})

describe('docs/reference/views.md', () => {
  it('contains the example code of this test', () => {
    expect(codeOf('reference/views.md')).toEqual([textOf('docs/views.ts')])
  })

  it('shows the outline of a packet, with the lines of its rules', async () => {
    const { outlineOf } = await import('./docs/views.js')
    const outline = outlineOf({
      ...{ origin: 'pod', protocol: 'TCP', source: '10.244.1.9', destination: '10.96.0.10', destinationPort: 80 },
    })
    expect(textOf('../../../docs/reference/views.md')).toContain(`\n\`\`\`\n${outline.join('\n')}\n\`\`\`\n`)
  })

  it('shows the objects of a service port', async () => {
    const { objectsBehind } = await import('./docs/views.js')
    expect(objectsBehind('default/web:http/TCP')).toEqual(['Service default/web', 'EndpointSlice default/web-1'])
  })

  it('lists exactly the kinds of lines that views contain', () => {
    const [, table = ''] = textOf('../../../docs/reference/views.md').split('| kind | the line |')
    const [rows = ''] = table.split('\n\n')
    const kinds = Array.from(rows.matchAll(/^\| (`.*?`) \| /gm), ([, names = '']) =>
      names.replaceAll('`', '').split(', '),
    )
    expect(kinds.flat().sort()).toEqual([...VIEW_KINDS].sort())
  })
})
