import { describe, expect, it } from 'vitest'
import {
  asRootText,
  clusterPolicyText,
  policyFieldOf,
  restartOrScriptText,
  restartText,
  scriptText,
  serviceCommand,
} from '../../src/answers/remedies.js'
import type { Plan } from '../../src/plan/plan.js'
import type { ServicePortId } from '../../src/services/service-port.js'

const planOf = (name: string) => ({ node: { name } }) as Plan
const portOf = (name: string) => ({ namespace: 'shop', name }) as ServicePortId

describe('what can be typed', () => {
  it('restarts kube-proxy on a node that is known', () => {
    expect(restartText(planOf('node-1'))).toMatch(
      /^kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec\.nodeName=node-1 \(anywhere with kubectl; restarts kube-proxy there, .*; if it finds no pod, restart kube-proxy as this cluster does\)$/,
    )
    expect(restartOrScriptText(planOf('node-1'), 'for a while')).toMatch(
      /\); for a while; only if that does not help: the same command with --script, .* as root on node node-1 and nowhere else$/,
    )
  })

  it.each(['', 'node 1', '$(reboot)', '-A', 'a;b'])('is no command where a name has to be quoted: %j', (name) => {
    expect(restartText(planOf(name))).toMatch(/^restart kube-proxy on this node \(/)
    expect(clusterPolicyText('externalTrafficPolicy', portOf(name))).toMatch(
      /^set externalTrafficPolicy to Cluster \(for all clients: pods no longer see the client's address/,
    )
    expect(serviceCommand(portOf(name), () => 'command', 'words')).toBe('words')
  })

  it('says where without a name, too', () => {
    expect(asRootText(planOf(''))).toBe('as root on the node')
    expect(scriptText(planOf(''))).toMatch(/ as root on the node and nowhere else$/)
  })

  it('is the policy of the frontend', () => {
    expect(policyFieldOf('clusterIP')).toBe('internalTrafficPolicy')
    expect(policyFieldOf('nodePort')).toBe('externalTrafficPolicy')
    expect(clusterPolicyText('internalTrafficPolicy', portOf('web'))).toMatch(
      /packets may then go to pods of other nodes\)$/,
    )
  })
})
