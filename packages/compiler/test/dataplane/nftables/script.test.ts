import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toChangeCommands } from '../../../src/commands/change-commands.js'
import { toCommands } from '../../../src/commands/to-commands.js'
import { compile } from '../../../src/compilation/compile.js'
import { diff, diffStates } from '../../../src/diff/diff.js'
import { endpoint, servicePort } from '../../support/model-builder.js'
import { afterNft, textsOfTables } from '../../support/nft-interpreter.js'
import { nftablesOf } from '../../support/nftables-states.js'
import { at, service, slice } from '../../support/objects.js'
import { readDump } from '../../support/read-dump.js'

const other = service({ clusterIP: '10.96.0.2' }, { metadata: { namespace: 'ns1', name: 'other' } })
const otherSlice = (...addresses: string[]) => slice(at(...addresses), { name: 'other-1', service: 'other' })

function compiled(services: readonly object[], slices: readonly object[], kubernetesVersion = '1.37') {
  const input = { services, endpointSlices: slices } as Parameters<typeof compile>[0]
  return compile(input, { mode: 'nftables', families: ['IPv4'], nodeName: 'node-1', kubernetesVersion })
}

/** Returns the input lines of each command of a change. */
function commandsOf(before: ReturnType<typeof compiled> | undefined, after: ReturnType<typeof compiled> | undefined) {
  return toCommands(diff(before, after)).map(({ input }) => input.split('\n').slice(0, -1))
}

const OPTIONS = { family: 'IPv4', backend: 'nft' } as const

describe('toCommands', () => {
  const one = compiled([service(), other], [slice(at('10.244.1.1')), otherSlice('10.244.2.1')])

  it('rewrites one chain for an endpoint that is replaced', () => {
    const two = compiled([service(), other], [slice(at('10.244.1.2')), otherSlice('10.244.2.1')])
    const [commands = [], ...more] = commandsOf(one, two)
    expect(more).toEqual([])
    expect(commands.map((line) => line.replaceAll(/service-[A-Z2-7]{8}/g, 'service-HASH'))).toEqual([
      'flush chain ip kube-proxy service-HASH-ns1/web/tcp/http',
      'add rule ip kube-proxy service-HASH-ns1/web/tcp/http meta l4proto tcp dnat to 10.244.1.2:8080',
    ])
    expect(commands.length).toBeLessThanOrEqual(3)
  })

  it('adds a chain and map elements for a Service that is added', () => {
    const before = compiled([other], [otherSlice('10.244.2.1')])
    const [commands = [], ...more] = commandsOf(before, one)
    expect(more).toEqual([])
    expect(commands.map((line) => line.replaceAll(/service-[A-Z2-7]{8}/g, 'service-HASH'))).toEqual([
      'add chain ip kube-proxy service-HASH-ns1/web/tcp/http',
      'add rule ip kube-proxy service-HASH-ns1/web/tcp/http meta l4proto tcp dnat to 10.244.1.1:8080',
      'add element ip kube-proxy cluster-ips { 10.96.0.1 }',
      'add element ip kube-proxy service-ips { 10.96.0.1 . tcp . 80 : goto service-HASH-ns1/web/tcp/http }',
    ])
    expect(commands.length).toBeLessThanOrEqual(8)
  })

  it('flushes removed chains, and deletes them in a separate command', () => {
    const after = compiled([other], [otherSlice('10.244.2.1')])
    const commands = commandsOf(one, after).map((lines) =>
      lines.map((line) => line.replaceAll(/service-[A-Z2-7]{8}/g, 'service-HASH')),
    )
    expect(commands).toEqual([
      [
        'delete element ip kube-proxy service-ips { 10.96.0.1 . tcp . 80 }',
        'delete element ip kube-proxy cluster-ips { 10.96.0.1 }',
        'flush chain ip kube-proxy service-HASH-ns1/web/tcp/http',
      ].sort((a, b) => (commands[0]?.indexOf(a) ?? 0) - (commands[0]?.indexOf(b) ?? 0)),
      ['delete chain ip kube-proxy service-HASH-ns1/web/tcp/http'],
    ])
  })

  it('deletes an element before it adds the same element with another verdict', () => {
    const [commands = []] = commandsOf(one, compiled([service(), other], [otherSlice('10.244.2.1')]))
    const own = commands.filter((line) => line.includes('10.96.0.1 .'))
    expect(own.map((line) => line.replaceAll(/service-[A-Z2-7]{8}/g, 'service-HASH'))).toEqual([
      'delete element ip kube-proxy service-ips { 10.96.0.1 . tcp . 80 }',
      'add element ip kube-proxy no-endpoint-services { 10.96.0.1 . tcp . 80 comment "ns1/web:http" : goto reject-chain }',
    ])
    const changed = nftablesOf([servicePort({ externalIPs: ['192.0.2.1'] })])
    const dropped = nftablesOf([
      servicePort({ externalIPs: ['192.0.2.1'], externalPolicyLocal: true, endpoints: [endpoint()] }),
    ])
    const text = toChangeCommands(diffStates(changed, dropped).changes, OPTIONS)[0]?.input ?? ''
    expect(text.match(/^.* no-endpoint-services .*192\.0\.2\.1.*$/gm)).toEqual([
      'delete element ip kube-proxy no-endpoint-services { 192.0.2.1 . tcp . 80 }',
      'add element ip kube-proxy no-endpoint-services { 192.0.2.1 . tcp . 80 comment "ns1/svc1:p80" : drop }',
    ])
  })

  it('names the purpose of each command', () => {
    const after = compiled([other], [otherSlice('10.244.2.1')])
    expect(toCommands(diff(one, after)).map(({ purpose }) => purpose)).toEqual([
      'write tables',
      'delete unreferenced chains',
    ])
  })

  it('deletes a table with one line', () => {
    expect(commandsOf(one, undefined)).toEqual([['delete table ip kube-proxy']])
  })

  it('recreates a base chain if its priority differs between versions', () => {
    const [commands = []] = commandsOf(compiled([], [], '1.35'), compiled([], [], '1.31'))
    const own = commands.filter((line) => / chain ip kube-proxy filter-input\b/.test(line))
    expect(own).toEqual([
      'flush chain ip kube-proxy filter-input',
      'delete chain ip kube-proxy filter-input',
      'add chain ip kube-proxy filter-input { type filter hook input priority -110 ; }',
    ])
  })

  it('replaces an unknown table in one transaction', () => {
    const commands = toChangeCommands(diffStates(undefined, nftablesOf([servicePort()])).changes, {
      ...OPTIONS,
      start: { nftables: 'unknown' },
    })
    expect(commands.map(({ tool, args }) => [tool, ...args])).toEqual([['nft', '-f', '-']])
    expect(commands[0]?.input.split('\n').slice(0, 3)).toEqual([
      'add table ip kube-proxy',
      'delete table ip kube-proxy',
      'add table ip kube-proxy { comment "rules for kube-proxy" ; }',
    ])
    expect(commands[0]?.input).not.toMatch(/^flush /m)
  })

  it('adds a table with its flags', () => {
    const { nftables } = readDump('table ip t {\n\tflags dormant\n}\n').IPv4
    const [command] = toChangeCommands(diffStates(undefined, { family: 'IPv4', nftables }).changes, OPTIONS)
    expect(command?.input).toBe('add table ip t { flags dormant ; }\n')
  })

  it('adds and deletes objects that kube-proxy does not create', () => {
    const text =
      'table ip t {\n\tcounter c {\n\t\tpackets 0 bytes 0\n\t}\n\n\tquota q {\n\t\tover 1 mbytes\n\t}\n\n\tchain a {\n\t}\n}\n'
    const { nftables } = readDump(text).IPv4
    const state = { family: 'IPv4', nftables } as const
    const empty = { family: 'IPv4', nftables: readDump('table ip t {\n}\n').IPv4.nftables } as const
    const runsOf = (...states: Parameters<typeof diffStates>) =>
      toChangeCommands(diffStates(...states).changes, OPTIONS).map(({ input }) => input)
    const [added = ''] = runsOf(empty, state)
    expect(added).toContain('add counter ip t c\n')
    expect(added).toContain('add quota ip t q { over 1 mbytes ; }\n')
    expect(runsOf(state, empty).join('')).toContain('delete counter ip t c\n')
    expect(runsOf(state, empty).join('')).toContain('delete quota ip t q\n')
    expect(runsOf(state, state)).toEqual([])
  })
})

const PORT = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  count: fc.nat(3),
  affinitySeconds: fc.constantFrom(undefined, 60),
  externalIPs: fc.constantFrom<readonly string[]>([], ['192.0.2.1'], ['192.0.2.2']),
  externalPolicyLocal: fc.boolean(),
  nodePort: fc.constantFrom(0, 3001),
})

const STATES = fc
  .tuple(
    fc.uniqueArray(PORT, { selector: ({ name }) => name }),
    fc.constantFrom('1.30', '1.33', '1.35', '1.36', '1.37'),
  )
  .map(([ports, version]) =>
    nftablesOf(
      ports.map(({ count, affinitySeconds, ...port }) => {
        const endpoints = Array.from({ length: count }, (_, at) => endpoint({ ip: `10.180.0.${at}`, local: at === 1 }))
        const clusterIP = `172.30.0.${port.name.charCodeAt(0)}`
        return servicePort({ ...port, clusterIP, endpoints, ...(affinitySeconds && { affinitySeconds }) })
      }),
      { version },
    ),
  )

describe('the commands between two arbitrary nftables states', () => {
  const textsOf = ({ nftables }: ReturnType<typeof nftablesOf>) => textsOfTables(nftables.tables)

  it('transform one table into the other, even if the versions differ', () => {
    fc.assert(
      fc.property(STATES, STATES, (before, after) => {
        const { changes } = diffStates(before, after, { withComments: true })
        const commands = toChangeCommands(changes, OPTIONS)
        const held = commands.reduce((tables, { input }) => afterNft(tables, input), before.nftables.tables)
        expect(textsOfTables(held)).toEqual(textsOf(after))
      }),
      { numRuns: 60 },
    )
  })

  it('transform an unknown table into the expected table', () => {
    fc.assert(
      fc.property(STATES, STATES, (before, after) => {
        const commands = toChangeCommands(diffStates(undefined, after).changes, {
          ...OPTIONS,
          start: { nftables: 'unknown' },
        })
        const held = commands.reduce((tables, { input }) => afterNft(tables, input), before.nftables.tables)
        const [found, expected] = [textsOfTables(held), textsOf(after)]
        expect(found).toMatchObject(expected)
        const sets = expected['ip kube-proxy']?.sets ?? {}
        for (const name of Object.keys(sets)) expect(found['ip kube-proxy']?.sets[name]).toEqual(sets[name])
      }),
      { numRuns: 40 },
    )
  })
})
