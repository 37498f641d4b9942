import { describe, expect, it } from 'vitest'
import { countSharedRules, splitBlockRules } from '../../../src/dataplane/iptables/block-rules.js'
import { countBlockRules, getBlockRules } from '../../../src/dataplane/iptables/lazy-block.js'
import { createLoweringContext } from '../../../src/targets/iptables/lowering-context.js'
import { createServiceBlocks } from '../../../src/targets/iptables/service-blocks.js'
import { cidr, planOf } from '../../support/decisions.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

const LOCAL = endpoint({ ip: '10.180.0.1', local: true })
const REMOTE = endpoint({ ip: '10.180.0.2' })
const BOTH = { endpoints: [LOCAL, REMOTE] }
const EXTERNAL = { externalIPs: ['198.51.100.9'] }

function blocksOf(fields: Parameters<typeof servicePort>[0]) {
  const plan = planOf([servicePort(fields)])
  const [service] = plan.services
  if (service === undefined) throw new Error('there is no service port')
  return createServiceBlocks(service, createLoweringContext(plan))
}

describe('the precomputed rule counts of a service port', () => {
  it.each<[string, Parameters<typeof servicePort>[0], readonly string[]]>([
    ['a cluster IP', BOTH, ['KUBE-SERVICES 1']],
    ['an external IP', { ...BOTH, ...EXTERNAL }, ['KUBE-SERVICES 2']],
    ['a node port', { ...BOTH, nodePort: 3001 }, ['KUBE-SERVICES 1', 'KUBE-NODEPORTS 1']],
    [
      'a node port and internal policy Local',
      { endpoints: [REMOTE], nodePort: 3001, internalPolicyLocal: true },
      ['KUBE-NODEPORTS 1'],
    ],
    ['session affinity', { ...BOTH, affinitySeconds: 10 }, ['KUBE-SERVICES 1']],
    ['external policy Local', { ...BOTH, ...EXTERNAL, externalPolicyLocal: true }, ['KUBE-SERVICES 2']],
    [
      'source ranges',
      { ...BOTH, loadBalancerIPs: ['1.2.3.4', '1.2.3.5'], sourceRanges: [cidr('192.168.0.0/16')] },
      ['KUBE-SERVICES 3'],
    ],
  ])('match the created rules with %s', (_, fields, shared) => {
    const { nat } = blocksOf(fields)
    if (nat === undefined) throw new Error('there are no rules')
    expect(countSharedRules(nat).map(({ chain, count }) => `${chain} ${count}`)).toEqual(shared)
    const made = splitBlockRules(nat)
    expect([...made.shared].map(([chain, rules]) => `${chain} ${rules.length}`)).toEqual(shared)
    expect(countBlockRules(nat)).toBe(getBlockRules(nat).length)
    expect([...made.own.keys()]).toEqual(nat.chains)
    for (const [chain, rules] of made.own) expect([chain, rules.length > 0]).toEqual([chain, true])
  })

  it('are the same object for all service ports with only a cluster IP', () => {
    const [one, other] = [blocksOf(BOTH).nat, blocksOf({ ...BOTH, name: 'svc2' }).nat]
    expect(one && countSharedRules(one)).toBe(other && countSharedRules(other))
  })
})

describe('rule blocks of a service port', () => {
  it.each([
    ['nothing if there are endpoints and no health check', BOTH, undefined],
    ['a rejected cluster IP if there are no endpoints', {}, ['KUBE-SERVICES']],
    [
      'a health check if the Service has one',
      { ...BOTH, nodePort: 3001, healthCheckNodePort: 30500 },
      ['KUBE-NODEPORTS'],
    ],
  ])('contain in the filter table the rules for %s', (_, fields, chains) => {
    const { filter } = blocksOf(fields)
    expect(filter?.rules.map(({ chain }) => chain)).toEqual(chains)
    expect([filter?.owner ?? 'ns1/svc1:p80/TCP', filter?.chains ?? []]).toEqual(['ns1/svc1:p80/TCP', []])
  })

  it('do not exist in the nat table if there are no endpoints', () => {
    expect(blocksOf({ ...EXTERNAL }).nat).toBeUndefined()
  })

  it('list the external, firewall, cluster-policy, local-policy and endpoint chains', () => {
    const chains = (fields: Parameters<typeof servicePort>[0]) =>
      blocksOf(fields).nat?.chains.map((chain) => chain.split('-')[1])
    expect(chains(BOTH)).toEqual(['SVC', 'SEP', 'SEP'])
    expect(chains({ ...BOTH, ...EXTERNAL })).toEqual(['EXT', 'SVC', 'SEP', 'SEP'])
    expect(
      chains({
        ...BOTH,
        loadBalancerIPs: ['1.2.3.4'],
        sourceRanges: [cidr('10.0.0.0/8')],
        externalPolicyLocal: true,
      }),
    ).toEqual(['EXT', 'FW', 'SVC', 'SVL', 'SEP', 'SEP'])
    expect(chains({ ...BOTH, internalPolicyLocal: true })).toEqual(['SVL', 'SEP'])
  })
})
