import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { printFamily } from '../../../compiler/test/support/print-family.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { verify } from '../../src/verify/verify.js'

const slice = (name: string) => ({
  metadata: { namespace: 'default', name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.1.1'] }],
})
const service = (name: string, clusterIP: string) => ({
  metadata: { namespace: 'default', name },
  spec: { clusterIP, ports: [{ name: 'http', port: 80 }] },
})
const result = compile(
  {
    services: [service('web', '10.96.0.1'), service('db', '10.96.0.2')],
    endpointSlices: [slice('web'), slice('db')],
    configuration: { clusterCIDR: '10.244.0.0/16' },
  },
  { mode: 'iptables', families: ['IPv4'] },
)
const text = printFamily(result, { family: 'IPv4', format: 'save' })

const WEB = 'KUBE-SVC-CDGGSHYLG3RE2FKL'
const masquerade = (chain: string) =>
  `-A ${chain} ! -s 10.244.0.0/16 -d 10.96.0.1/32 -p tcp -m comment --comment "default/web:http cluster IP" -m tcp --dport 80 -j KUBE-MARK-MASQ`

/** Moves the rule from the Service's own chain to before the jump to it, as in older versions. */
function movedText(moved: string): string {
  const rest = text.replace(`${masquerade(WEB)}\n`, '')
  return rest.replace('-A KUBE-SERVICES -d 10.96.0.1/32', `${moved}\n-A KUBE-SERVICES -d 10.96.0.1/32`)
}

function findingsIn(dump: string) {
  const [family] = verify(result, readDump(dump)).families
  return { drift: family?.drift ?? [], repair: family?.repair.length }
}

const RULE = { destination: '10.96.0.1/32', destinationPort: 80, jumpsTo: 'KUBE-MARK-MASQ' }

describe('a rule that another version writes to another chain', () => {
  it('is reported once, at the expected location', () => {
    const { drift, repair } = findingsIn(movedText(masquerade('KUBE-SERVICES')))
    expect(drift).toEqual([
      {
        servicePort: 'default/web:http/TCP',
        drift: [
          {
            subsystem: 'iptables',
            location: `nat/${WEB}`,
            part: { kind: 'rule', table: 'nat', chain: WEB, expected: RULE, found: RULE },
            kind: 'misplaced',
            expected: masquerade(WEB),
            found: masquerade('KUBE-SERVICES'),
            reason: 'the rule exists, but in KUBE-SERVICES, where another version of kube-proxy may write it',
          },
        ],
      },
    ])
    expect(repair).toBeGreaterThan(0)
  })

  it('is reported as both missing and extra if its text differs', () => {
    const { drift } = findingsIn(movedText(masquerade('KUBE-SERVICES').replace('10.244.0.0/16', '10.244.0.0/24')))
    expect(drift.flatMap((group) => group.drift.map(({ location, kind }) => [location, kind]))).toEqual([
      ['nat/KUBE-SERVICES', 'extra'],
      [`nat/${WEB}`, 'missing'],
    ])
  })

  it('is reported once as misplaced, and as extra if it occurs again', () => {
    const twice = `${masquerade('KUBE-SERVICES')}\n${masquerade('KUBE-SERVICES')}`
    const { drift } = findingsIn(movedText(twice))
    expect(drift.flatMap((group) => group.drift.map(({ location, kind }) => [location, kind]))).toEqual([
      ['nat/KUBE-SERVICES', 'extra'],
      [`nat/${WEB}`, 'misplaced'],
    ])
  })
})
