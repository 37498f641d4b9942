import type { EndpointSlice } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions } from '../../../compiler/src/compilation/compile-result.js'
import { print } from '../../../compiler/src/print/print.js'
import { at, loadBalancer, service, slice } from '../../../compiler/test/support/objects.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { diagnoseBackends, diagnoseNode } from '../../src/diagnose/diagnose-node.js'
import type { Diagnosis } from '../../src/diagnose/diagnosis.js'
import { verify } from '../../src/verify/verify.js'

// Diagnoses that the cases in fixtures/troubleshooting do not cover.

const INPUT: CompileInput = {
  configuration: { clusterCIDR: '10.244.0.0/16' },
  services: [service()],
  endpointSlices: [slice(at('10.244.1.1'))],
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
}
const OPTIONS: CompileOptions = { nodeName: 'node-1', families: ['IPv4'], mode: 'iptables' }

const compiled = (options: CompileOptions = {}, input: Partial<CompileInput> = {}) =>
  compile({ ...INPUT, ...input }, { ...OPTIONS, ...options })

const textOf = (result: ReturnType<typeof compiled>) =>
  result.families.map(({ state }) => print(state, { format: 'save' })).join('')

/** Returns the diagnoses of a node after `change` modifies its expected rules. */
function diagnosesAbout(change: (dump: string) => string, result = compiled()): readonly Diagnosis[] {
  const dump = readDump(change(textOf(result)))
  return diagnoseNode(result, dump, verify(result, dump))
}

const without = (start: RegExp) => (dump: string) =>
  dump
    .split('\n')
    .filter((line) => !start.test(line))
    .join('\n')

describe('missing jumps', () => {
  it.each([
    [
      /^-A OUTPUT .* -j KUBE-SERVICES$/,
      'On node node-1, no Service works for the node itself: the jump to KUBE-SERVICES is missing in OUTPUT of table nat',
    ],
    [
      /^-A PREROUTING /,
      'On node node-1, no Service works for pods on the node and external clients: the jump to KUBE-SERVICES is missing in PREROUTING of table nat',
    ],
    [
      /^-A POSTROUTING /,
      'On node node-1, clients of Services get no replies, because no packet is masqueraded: the jump to KUBE-POSTROUTING is missing in POSTROUTING of table nat',
    ],
    [
      /^-A FORWARD .* -j KUBE-SERVICES$/,
      'On node node-1, clients of Services without endpoints time out instead of being rejected: the jump to KUBE-SERVICES is missing in FORWARD of table filter',
    ],
    [
      /^-A FORWARD .* -j KUBE-FORWARD$/,
      'On node node-1, other rules may drop forwarded packets of Services: the jump to KUBE-FORWARD is missing in FORWARD of table filter',
    ],
  ])('are diagnosed: %s', (line, expected) => {
    const diagnoses = diagnosesAbout(without(line))
    expect(diagnoses.map(({ summary }) => summary)).toContain(expected)
    expect(diagnoses.every(({ code }) => code === 'missingJumps')).toBe(true)
  })

  it('are diagnosed if a rule of the chain is missing, too', () => {
    const codes = diagnosesAbout(without(/^-A (?:POSTROUTING |KUBE-POSTROUTING .*RETURN)/)).map(({ code }) => code)
    expect(codes).toContain('missingJumps')
  })
})

describe('the diagnosis in nftables mode', () => {
  it('reports that the table of kube-proxy is missing', () => {
    const result = compiled({ mode: 'nftables' })
    const foreign =
      'table inet mine {\n\tchain a {\n\t\ttype filter hook input priority filter; policy accept;\n\t}\n}\n'
    const [first] = diagnosesAbout(() => foreign, result)
    expect([first?.code, first?.summary, first?.rule]).toEqual([
      'noRules',
      'On node node-1, no Service works: there is no table ip kube-proxy',
      'nftables ip kube-proxy',
    ])
  })

  const nft = (kubernetesVersion: string, ...addresses: readonly string[]) =>
    compiled(
      { mode: 'nftables', kubernetesVersion },
      { endpointSlices: addresses.length === 0 ? [] : [slice(at(...addresses))] },
    )
  const diagnosed = (live: ReturnType<typeof nft>, expected: ReturnType<typeof nft>) =>
    diagnosesAbout(() => textOf(live), expected).map(({ code, summary }) => `${code}: ${summary}`)

  it.each(['1.31', '1.33', '1.36', '1.37'])('for kube-proxy %s reports stale and missing endpoints', (version) => {
    expect(diagnosed(nft(version, '10.244.1.1', '10.244.1.9'), nft(version, '10.244.1.1', '10.244.1.2'))).toEqual([
      'staleEndpoint: On node node-1, packets to ns1/web:http/TCP are sent to 10.244.1.9:8080, which is no longer an endpoint',
      'missingEndpoint: On node node-1, packets to ns1/web:http/TCP are never sent to 10.244.1.2:8080',
    ])
  })

  it.each(['1.31', '1.37'])(
    'for kube-proxy %s reports elements that reject packets of a Service with endpoints',
    (version) => {
      expect(diagnosed(nft(version), nft(version, '10.244.1.1'))).toEqual([
        'staleRules: On node node-1, packets to ns1/web:http/TCP are rejected although there are endpoints',
      ])
    },
  )
})

describe('a rule that rejects a service port with endpoints', () => {
  it('is not diagnosed in nftables mode if only source ranges exclude packets', () => {
    const limited = loadBalancer({ loadBalancerSourceRanges: ['192.0.2.0/24'] })
    const stale = '10.96.0.1 . tcp . 80 comment "ns1/web:http" : goto reject-chain'
    const withElement = (dump: string) =>
      dump.replace(/(map no-endpoint-services \{\n.*\n.*\n)/, `$1\t\telements = { ${stale} }\n`)
    const result = compiled({ mode: 'nftables', kubernetesVersion: '1.35' }, { services: [limited] })
    expect(withElement(textOf(result))).toContain(stale)
    expect(diagnosesAbout(withElement, result)).toEqual([])
  })

  const REJECT =
    '-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m comment --comment "ns1/web:http has no endpoints" -m tcp --dport 80 -j REJECT'
  const withReject = (dump: string) => dump.replace(/(\*filter\n(?:.*\n)*?)COMMIT/, `$1${REJECT}\nCOMMIT`)

  it('is not diagnosed if table nat translates the packets first', () => {
    expect(withReject(textOf(compiled()))).toContain(REJECT)
    expect(diagnosesAbout(withReject)).toEqual([])
  })

  it('is diagnosed if packets reach the rule', () => {
    const untranslated = (dump: string) => without(/^-A KUBE-SERVICES .* -j KUBE-SVC-/)(withReject(dump))
    expect(diagnosesAbout(untranslated).map(({ summary }) => summary)).toContain(
      'On node node-1, packets to ns1/web:http/TCP are rejected although there are endpoints',
    )
  })
})

describe('diagnoseNode', () => {
  it('returns no diagnosis if the state is the compiled state or there are no Services', () => {
    expect(diagnosesAbout((dump) => dump)).toEqual([])
    expect(diagnosesAbout(without(/^-A PREROUTING /), compiled({}, { services: [], endpointSlices: [] }))).toEqual([])
  })

  it('returns no diagnosis for a state of another mode', () => {
    const result = compiled({ mode: 'ipvs' })
    const dump = readDump(textOf(compiled()))
    const report = verify(result, dump)
    expect(report.families[0]?.caveats.map(({ about }) => about)).toEqual(['mode'])
    expect(diagnoseNode(result, dump, report)).toEqual([])
  })

  it('reports a nat table that contains no rules of kube-proxy', () => {
    const diagnoses = diagnosesAbout((dump) =>
      dump.replace(/\*nat\n[\s\S]*?COMMIT\n/, '*nat\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n'),
    )
    expect(diagnoses.map(({ code, rule }) => `${code} ${rule}`)).toEqual(['noRules nat/KUBE-SERVICES'])
  })

  const flushed = (dump: string) => dump.replace(/\*nat\n[\s\S]*?COMMIT\n/, (table) => table.replace(/^-A .*\n/gm, ''))

  it('reports a nat table with chains that contain no rules', () => {
    expect(flushed(textOf(compiled()))).toContain('\n:KUBE-SERVICES - [0:0]\n')
    expect(diagnosesAbout(flushed).map(({ code, rule }) => `${code} ${rule}`)).toEqual(['noRules nat/KUBE-SERVICES'])
  })

  it('reports that kube-proxy did not notice a flushed nat table', () => {
    const canary = '*mangle\n:KUBE-PROXY-CANARY - [0:0]\nCOMMIT\n'
    const [diagnosis, ...others] = diagnosesAbout((dump) => `${canary}${flushed(dump)}`)
    expect(others).toEqual([])
    expect(diagnosis).toMatchObject({
      code: 'emptiedTable',
      summary:
        'On node node-1, no Service works: the rules of kube-proxy in the nat table were deleted, and kube-proxy did not notice',
    })
  })

  it('reports one or several stale endpoints', () => {
    const before = textOf(compiled({}, { endpointSlices: [slice(at('10.244.1.7', '10.244.1.8'))] }))
    const diagnoses = diagnosesAbout(() => before)
    expect(diagnoses.map(({ summary }) => summary)).toEqual([
      'On node node-1, packets to ns1/web:http/TCP are sent to 10.244.1.7:8080 and 1 more address, which are no longer endpoints',
      'On node node-1, packets to ns1/web:http/TCP are never sent to 10.244.1.1:8080',
    ])
  })

  it('ignores real servers with weight 0 in ipvs mode, because they still serve connections', () => {
    const result = compiled({ mode: 'ipvs' })
    const gone = (weight: number) => (dump: string) =>
      dump.replace(/^(-a -t 10\.96\.0\.1:80 -r )\S+( -m -w )1$/m, `$&\n$110.244.1.9:8080$2${weight}`)
    expect(diagnosesAbout(gone(0), result)).toEqual([])
    expect(diagnosesAbout(gone(1), result).map(({ code, rule }) => `${code} ${rule}`)).toEqual([
      'staleEndpoint -a -t 10.96.0.1:80 -r 10.244.1.9:8080 -m -w 1',
    ])
  })

  it('reports leftover rules that reject no packets', () => {
    const result = compiled({ mode: 'ipvs' })
    const diagnoses = diagnosesAbout(
      (dump) => dump.replace('*nat\n', '*nat\n:KUBE-SVC-OLD - [0:0]\n-A KUBE-SVC-OLD -j RETURN\n'),
      result,
    )
    expect(diagnoses).toMatchObject([
      {
        code: 'leftovers',
        summary: 'On node node-1, iptables mode left 1 rule behind',
        object: 'Service ns1/web',
        rule: 'nat/KUBE-SVC-OLD',
      },
    ])
  })
})

const CHECK =
  'To check, repeat this kube-rules command with new dumps (kube-rules collect prints the commands): only one may contain rules of kube-proxy; then check the other nodes'

describe('dumps of both iptables backends', () => {
  const held = (name: string, text: string, result = compiled()) => {
    const dump = readDump(text)
    return { name, dump, report: verify(result, dump) }
  }

  it('are diagnosed if they contain the same rules', () => {
    const [diagnosis] = diagnoseBackends(compiled(), [
      held('legacy', textOf(compiled())),
      held('nft', textOf(compiled())),
    ])
    expect(diagnosis?.cause).toBe(
      `iptables stores its rules in one of two places, called legacy and nft, and kube-proxy updates only one of them; the rules in legacy match the objects; the rules in nft are the same today (Service ns1/web, for example)`,
    )
  })

  it.each([
    ['2026-03-09T06:12:44Z', '2026-03-12T17:40:02Z', '; the rules in legacy are at least 3 days older'],
    ['2026-03-09T06:12:44Z', '2026-03-10T06:12:44.5Z', '; the rules in legacy are at least 1 day older'],
    ['2026-02-28T23:30:00Z', '2026-03-01T01:30:00Z', '; the rules in legacy are at least 2 hours older'],
    ['2024-02-28T23:30:00Z', '2024-03-01T00:29:00Z', '; the rules in legacy are at least 1 day older'],
    ['2026-03-09T06:12:44Z', '2026-03-09T06:13:44Z', '; the rules in legacy are at least 1 minute older'],
    ['2026-03-09T06:12:44Z', '2026-03-09T06:12:50Z', ''],
    ['2026-03-12T17:40:02Z', '2026-03-09T06:12:44Z', ''],
    ['yesterday', '2026-03-12T17:40:02Z', ''],
  ])('have different ages if the two dumps have rules from %s and %s', (lacked, had, expected) => {
    const changedAt = (time: string, name: string, address: string): EndpointSlice => {
      const annotations = { 'endpoints.kubernetes.io/last-change-trigger-time': time }
      const labels = { 'kubernetes.io/service-name': name }
      return slice(at(address), { metadata: { namespace: 'ns1', name: `${name}-1`, labels, annotations } })
    }
    const other = service({ clusterIP: '10.96.0.77' }, { metadata: { namespace: 'ns1', name: 'api' } })
    const services = [service(), other]
    const api = changedAt(had, 'api', '10.244.1.2')
    const endpointSlices = [changedAt(lacked, 'web', '10.244.1.1'), api]
    const result = compiled({}, { services, endpointSlices })
    const before = compiled({}, { services, endpointSlices: [changedAt(lacked, 'web', '10.244.1.9'), api] })
    const [diagnosis] = diagnoseBackends(
      result,
      [held('legacy', textOf(before), result), held('nft', textOf(result), result)],
      { input: { endpointSlices } },
    )
    expect(diagnosis?.summary).toBe(
      `On node node-1, two sets of kube-proxy rules apply to each packet: those in legacy and those in nft${expected}`,
    )
  })

  it('are diagnosed if both dumps differ from the compiled state', () => {
    const other = (...addresses: readonly string[]) =>
      textOf(compiled({}, { endpointSlices: [slice(at(...addresses))] }))
    const [diagnosis] = diagnoseBackends(compiled(), [
      held('legacy', other('10.244.1.5', '10.244.1.6')),
      held('nft', other('10.244.1.1', '10.244.1.2')),
    ])
    expect(diagnosis?.cause).toMatch(
      /; the rules in nft are closer to the objects; the rules in legacy are out of date for 1 service port \(Service ns1\/web\), so connections may go to wrong endpoints$/,
    )
  })

  it.each([
    [
      'legacy',
      [
        'Save the rules of iptables-legacy, which old shows, as root on node node-1: iptables-legacy-save > iptables-legacy.backup',
        'Restore the saved rules, except the rules of kube-proxy: grep -v KUBE- iptables-legacy.backup | iptables-legacy-restore',
        CHECK,
      ],
    ],
    [
      undefined,
      [
        'Find out whether iptables-legacy-save or iptables-nft-save prints the rules of old',
        'If it is iptables-legacy-save, save these rules, as root on node node-1: iptables-legacy-save > iptables-legacy.backup',
        'Restore the saved rules, except the rules of kube-proxy: grep -v KUBE- iptables-legacy.backup | iptables-legacy-restore',
        'If it is iptables-nft-save, save these rules, as root on node node-1: iptables-nft-save > iptables-nft.backup',
        'Restore the saved rules, except the rules of kube-proxy: grep -v KUBE- iptables-nft.backup | iptables-nft-restore',
        CHECK,
      ],
    ],
  ] as const)('are diagnosed with steps that remove outdated rules of the backend %s', (backend, expected) => {
    const old = textOf(compiled({}, { endpointSlices: [slice(at('10.244.1.9'))] }))
    const [diagnosis] = diagnoseBackends(compiled(), [
      { ...held('old', old), backend },
      held('new', textOf(compiled())),
    ])
    expect(diagnosis?.steps.map(({ text, command }) => (command === undefined ? text : `${text}: ${command}`))).toEqual(
      expected,
    )
  })

  it('are diagnosed with steps that use the IPv6 tools if the family is IPv6', () => {
    const input = {
      services: [service({ clusterIP: 'fd00::1', clusterIPs: ['fd00::1'], ipFamilies: ['IPv6'] })],
      endpointSlices: [slice(at('fd00:1::1'), { addressType: 'IPv6' })],
    }
    const result = compiled({ families: ['IPv6'] }, input)
    const dump = readDump(textOf(result), { family: 'IPv6' })
    const all = { dump, report: verify(result, dump) }
    const [diagnosis] = diagnoseBackends(result, [
      { name: 'a', ...all },
      { name: 'b', backend: 'nft', ...all },
    ])
    expect(diagnosis?.steps.map(({ command }) => command)).toEqual([
      'ip6tables-nft-save > ip6tables-nft.backup',
      'grep -v KUBE- ip6tables-nft.backup | ip6tables-nft-restore',
      undefined,
    ])
  })

  it('are not diagnosed if one dump contains no rules of kube-proxy', () => {
    const empty = held('legacy', '*nat\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n')
    expect(diagnoseBackends(compiled(), [empty, held('nft', textOf(compiled()))])).toEqual([])
  })
})
