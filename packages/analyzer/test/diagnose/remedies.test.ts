import { describe, expect, it } from 'vitest'
import type { ServicePortId } from '../../../compiler/src/model/services/service-port.js'
import type { Plan } from '../../../compiler/src/plan/plan.js'
import {
  createClusterPolicyStep,
  createRepairScriptStep,
  createRestartOrScriptSteps,
  createRestartStep,
  formatRootHint,
  formatServiceCommand,
  trafficPolicyFieldOf,
} from '../../src/diagnose/remedies.js'

const planOf = (name: string) => ({ node: { name } }) as Plan
const portOf = (name: string) => ({ namespace: 'shop', name }) as ServicePortId

describe('steps of a diagnosis', () => {
  it('restart kube-proxy with a command if the node is known', () => {
    expect(createRestartOrScriptSteps(planOf('node-1'))).toEqual([
      {
        text: 'Restart kube-proxy on node node-1. If it is a system service, restart that service on the node; if its pods have the label k8s-app=kube-proxy, run',
        command: 'kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec.nodeName=node-1',
        change: { kind: 'rewriteRules' },
        impact:
          'kube-proxy writes all its rules again, and existing connections continue; to check, repeat this kube-rules command with a new dump: it finds no differences',
      },
      {
        text: 'If that does not help, take a new dump (kube-rules collect prints the command for the node), run kube-rules verify with the same objects, the new dump and the option --script, and run the printed commands as root on node node-1',
        change: { kind: 'rewriteRules' },
        impact: 'the commands change only the rules that differ; they are not valid for other nodes',
      },
    ])
  })

  it.each(['', 'node 1', '$(reboot)', '-A', 'a;b'])(
    'contain no command if the name of the node needs quotes: %j',
    (name) => {
      expect(createRestartStep(planOf(name))).toEqual({
        text: 'Restart kube-proxy on this node',
        change: { kind: 'rewriteRules' },
        impact:
          'kube-proxy writes all its rules again, and existing connections continue; to check, repeat this kube-rules command with a new dump: it finds no differences',
      })
      expect(createClusterPolicyStep('externalTrafficPolicy', portOf(name)).command).toBeUndefined()
      expect(formatServiceCommand(portOf(name), () => 'command')).toBeUndefined()
    },
  )

  it('mention the node even if the node has no name', () => {
    expect(formatRootHint(planOf(''))).toBe('as root on the node')
    expect(createRepairScriptStep(planOf('')).text).toMatch(/ as root on the node$/)
  })

  it('change the traffic policy of the frontend', () => {
    expect(trafficPolicyFieldOf('clusterIP')).toBe('internalTrafficPolicy')
    expect(trafficPolicyFieldOf('nodePort')).toBe('externalTrafficPolicy')
    expect(createClusterPolicyStep('internalTrafficPolicy', portOf('web'))).toEqual({
      text: 'Set internalTrafficPolicy of Service shop/web to Cluster',
      command: `kubectl -n shop patch svc web -p '{"spec":{"internalTrafficPolicy":"Cluster"}}'`,
      change: { kind: 'patchService', namespace: 'shop', name: 'web', spec: { internalTrafficPolicy: 'Cluster' } },
      impact: 'for all clients: packets may go to pods on other nodes',
    })
  })
})
