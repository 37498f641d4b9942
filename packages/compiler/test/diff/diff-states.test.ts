import { describe, expect, it } from 'vitest'
import { diffIptables } from '../../src/dataplane/iptables/diff/diff-state.js'
import { resourcesOf } from '../../src/dataplane/node-resources.js'
import { diffStates } from '../../src/diff/diff.js'
import { EMPTY_STATE_DIGEST } from '../../src/patch/digest.js'
import { resourceIdOf } from '../../src/patch/patch.js'
import { stateOf } from '../support/iptables-states.js'
import { stateAfter } from '../support/ipvs-state-pairs.js'
import { endpoint, servicePort } from '../support/model-builder.js'

const plain = servicePort({ endpoints: [endpoint()] })
const external = servicePort({ endpoints: [endpoint()], externalIPs: ['192.168.0.2'] })

describe('diffStates', () => {
  it('returns changes with ids that are unique across subsystems', () => {
    const ids = diffStates(undefined, stateAfter(undefined, [plain])).changes.map(resourceIdOf)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(
      expect.arrayContaining([
        'ipset KUBE-CLUSTER-IP',
        'ipset KUBE-CLUSTER-IP 172.30.0.41,tcp:80',
        'ipset KUBE-IPVS-IPS 172.30.0.41',
        'ipvs TCP 172.30.0.41:80',
        'ipvs TCP 172.30.0.41:80 10.180.0.1:80',
        'device kube-ipvs0',
        'address 172.30.0.41',
        'nat/KUBE-SERVICES',
        'filter/INPUT',
      ]),
    )
  })

  it('adds matched sets to the references of a chain, so that sets are created before rules', () => {
    const before = stateAfter(undefined, [plain])
    const after = stateAfter(before, [external])
    expect(resourcesOf(before).get('filter/KUBE-IPVS-FILTER')?.refs).toEqual([
      'ipset KUBE-CLUSTER-IP',
      'ipset KUBE-EXTERNAL-IP',
      'ipset KUBE-EXTERNAL-IP-LOCAL',
      'ipset KUBE-HEALTH-CHECK-NODE-PORT',
      'ipset KUBE-IPVS-IPS',
      'ipset KUBE-LOAD-BALANCER',
    ])
    const edit = diffStates(before, after).changes.find((change) => resourceIdOf(change) === 'nat/KUBE-SERVICES')
    expect(edit).toMatchObject({
      kind: 'edit',
      refsRemoved: [],
      refsAdded: ['ipset KUBE-EXTERNAL-IP', 'ipset KUBE-EXTERNAL-IP', 'ipset KUBE-EXTERNAL-IP', 'nat/KUBE-MARK-MASQ'],
    })
    const ids = diffStates(undefined, after).changes.map(resourceIdOf)
    expect(ids.indexOf('ipset KUBE-EXTERNAL-IP')).toBeLessThan(ids.indexOf('nat/KUBE-SERVICES'))
  })

  it('returns the same patch even if an earlier diff has read the first state', () => {
    const start = stateAfter(undefined, [plain])
    const first = diffStates(start, stateAfter(start, [external]))
    expect(diffStates(start, stateAfter(start, [external]))).toEqual(first)
    expect(diffStates(start, undefined).changes).toHaveLength(resourcesOf(start).size)
  })

  it('returns different digests for undefined and for a state without Services', () => {
    expect(diffStates(undefined, undefined)).toEqual({ from: EMPTY_STATE_DIGEST, to: EMPTY_STATE_DIGEST, changes: [] })
    const empty = stateAfter(undefined, [])
    const { from, to } = diffStates(undefined, empty)
    expect([from, to === EMPTY_STATE_DIGEST]).toEqual([EMPTY_STATE_DIGEST, false])
    expect(diffStates(empty, undefined)).toMatchObject({ from: to, to: EMPTY_STATE_DIGEST })
  })

  it('creates all resources of a subsystem if only the second state has it', () => {
    const iptables = { family: 'IPv4', iptables: stateOf([plain]) } as const
    const ipvs = stateAfter(undefined, [plain])
    const kinds = (id: string) => diffStates(iptables, ipvs).changes.find((change) => resourceIdOf(change) === id)?.kind
    expect(['ipset KUBE-CLUSTER-IP', 'ipvs TCP 172.30.0.41:80', 'address 172.30.0.41'].map(kinds)).toEqual([
      'create',
      'create',
      'create',
    ])
    // The script neither creates nor removes chains of both modes; chains of the same name may even be equal.
    expect(['nat/KUBE-SERVICES', 'nat/KUBE-MARK-MASQ'].map(kinds)).toEqual(['edit', undefined])
  })

  it('lists the changes of an individual subsystem in the order of that subsystem', () => {
    const iptables = stateOf([plain])
    const state = { family: 'IPv4', iptables } as const
    for (const [before, after] of [
      [undefined, state],
      [state, undefined],
    ] as const) {
      const { changes } = diffIptables(before?.iptables, after?.iptables)
      expect(diffStates(before, after).changes.map(resourceIdOf)).toEqual(changes.map(resourceIdOf))
    }
  })
})
