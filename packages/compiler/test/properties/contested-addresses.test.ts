import type { Packet, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { trace } from '../../../analyzer/src/trace/trace.js'
import { traceContextFor } from '../../../analyzer/src/trace/trace-context.js'
import { verify } from '../../../analyzer/src/verify/verify.js'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { diff } from '../../src/diff/diff.js'
import { decide } from '../../src/plan/decide.js'
import { PROXY_MODES, type ProxyMode } from '../../src/targets/modes.js'
import { at, service, slice } from '../support/objects.js'
import { pathsText } from '../support/paths-text.js'
import { printFamily } from '../support/print-family.js'
import { readDump } from '../support/read-dump.js'

// The node port of `aaa`, the first Service in the plan, conflicts with an external IP of `bbb`. That IP is an address
// of the node, and the port is the same.
const aaa = service(
  { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] },
  { metadata: { namespace: 'ns1', name: 'aaa' } },
)
const bbb = service(
  { clusterIP: '10.96.0.2', externalIPs: ['192.168.0.2'], ports: [{ name: 'http', port: 30080 }] },
  { metadata: { namespace: 'ns1', name: 'bbb' } },
)

function compiled(mode: ProxyMode, services: readonly Service[], previous?: CompileResult): CompileResult {
  const input = {
    services,
    endpointSlices: [
      slice(at('10.244.1.1'), { name: 'aaa-1', service: 'aaa' }),
      slice(at('10.244.1.2'), { name: 'bbb-1', service: 'bbb' }),
    ],
    host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }] },
  }
  return compile(input, { nodeName: 'node-1', families: ['IPv4'], mode, previous })
}

const contested: Packet = {
  origin: 'outside',
  protocol: 'TCP',
  source: '203.0.113.9',
  destination: '192.168.0.2',
  destinationPort: 30080,
}

describe.each(PROXY_MODES)('an address that a node port also covers, in %s mode', (mode) => {
  const [family] = compiled(mode, [aaa, bbb]).families
  if (family === undefined) throw new Error('IPv4 was not compiled')
  const { state, plan } = family

  it('is assigned by decide to the service port with this address, not to the owner of the node port', () => {
    const decision = decide(plan, contested)
    expect('servicePort' in decision && decision.servicePort.text).toBe('ns1/bbb:http')
  })

  it('belongs in trace to the service port that has the address', () => {
    const paths = trace(state, contested, traceContextFor(plan))
    expect(pathsText(paths)).toEqual([mode === 'userspace' ? 'proxy' : '10.244.1.2:8080* 1'])
    expect(
      paths.flatMap(({ steps }) => steps.map(({ servicePort }) => servicePort).filter((owner) => owner !== '')),
    ).toContain('ns1/bbb:http/TCP')
  })
})

describe('a virtual server that two service ports claim', () => {
  const both = compiled('ipvs', [aaa, bbb])
  const servers = (result: CompileResult, format: 'restore' | 'save') =>
    printFamily(result, { family: 'IPv4', subsystem: 'ipvs', format })

  it('is reported by verify as a missing server of the service port that owns it', () => {
    const saved = servers(both, 'save').replace(/^-. -t 192\.168\.0\.2:30080 .*\n/gm, '')
    const [report] = verify(both, readDump(saved)).families
    const drift = report?.drift.flatMap((group) =>
      group.drift.map(({ location }) => `${group.servicePort} | ${location}`),
    )
    expect(drift).toEqual(['ns1/bbb:http/TCP | ipvs TCP 192.168.0.2:30080'])
  })

  it('gets the endpoints of the other service port when its owner is removed', () => {
    const alone = compiled('ipvs', [aaa], both)
    const inputs = toCommands(diff(both, alone)).map(({ tool, input }) => (tool === 'ipvsadm' ? input : ''))
    const lines = inputs.join('').split('\n')
    expect(lines.filter((line) => line.includes('192.168.0.2:30080'))).toEqual([
      '-a -t 192.168.0.2:30080 -r 10.244.1.1:8080 -m -w 1',
      '-d -t 192.168.0.2:30080 -r 10.244.1.2:8080',
    ])
    expect(servers(alone, 'restore')).toContain('-a -t 192.168.0.2:30080 -r 10.244.1.1:8080 -m -w 1')
  })
})
