import { describe, expect, it } from 'vitest'
import { inferChainFromWords, tableOfChain, tableOfObject } from '../../../src/targets/shared/chain-tables.js'

/** Chains that are always in the same table, with the names of all kube-proxy versions and of related programs. */
const CHAINS: Readonly<Record<string, string>> = {
  nat: `KUBE-SVC-TCOU7JCQXEZGVUNU KUBE-SVL-TCOU7JCQXEZGVUNU KUBE-SEP-IT2ZTR26TO4XFPTO KUBE-EXT-TCOU7JCQXEZGVUNU
    KUBE-XLB-TCOU7JCQXEZGVUNU KUBE-FW-TCOU7JCQXEZGVUNU KUBE-POSTROUTING KUBE-MARK-MASQ KUBE-MARK-DROP KUBE-PORTALS-HOST
    KUBE-NODEPORT-CONTAINER KUBE-LOAD-BALANCER KUBE-HOSTPORTS KUBE-HP-ABC KUBE-LB CNI-HOSTPORT-DNAT FLANNEL-POSTRTG IP-MASQ-AGENT
    IP-MASQ WEAVE ISTIO_OUTPUT MINIKUBE cali-nat-outgoing cali-fip-dnat cali-fip-snat AWS-SNAT-CHAIN-0 AWS-CONNMARK-CHAIN-0
    ANTREA-POSTROUTING OUTPUT_direct POST_public POSTROUTING_ZONES CILIUM_PRE_nat CILIUM_OUTPUT_nat CILIUM_POST_nat`,
  filter: `KUBE-FORWARD KUBE-EXTERNAL-SERVICES KUBE-PROXY-FIREWALL KUBE-FIREWALL KUBE-IPVS-FILTER KUBE-IPVS-OUT-FILTER
    KUBE-SOURCE-RANGES-FIREWALL KUBE-NODEPORT-NON-LOCAL KUBE-NWPLCY-ABC KUBE-POD-FW-ABC KUBE-ROUTER-INPUT FLANNEL-FWD DOCKER-USER
    DOCKER-FORWARD DOCKER-CT DOCKER-BRIDGE DOCKER-ISOLATION-STAGE-1 DOCKER-ISOLATION WEAVE-NPC WEAVE-NPC-DEFAULT cali-INPUT cali-FORWARD
    cali-wl-to-host cali-from-wl-dispatch cali-to-wl-dispatch cali-tw-caliabc cali-fw-caliabc cali-pi-abc cali-pri-abc cali-pro-abc
    cali-cidr-block ufw-before-input FWDI_public IN_public INPUT_ZONES INPUT_direct FORWARD_IN_ZONES NODE-LOCAL-DNS CILIUM_INPUT
    CILIUM_FORWARD`,
  mangle: 'CILIUM_PRE_mangle CILIUM_POST_mangle',
  raw: 'CILIUM_PRE_raw CILIUM_OUTPUT_raw',
}

describe('tableOfChain', () => {
  it.each(Object.entries(CHAINS).flatMap(([table, names]) => names.split(/\s+/).map((name) => [name, table] as const)))(
    'for the name %s returns the table %s',
    (name, table) => {
      expect(tableOfChain(name)).toBe(table)
    },
  )

  it.each([
    'KUBE-SERVICES',
    'KUBE-NODEPORTS',
    'KUBE-NODE-PORT',
    'OUTPUT',
    'DOCKER',
    'KUBE-SVC',
    'XKUBE-FORWARD',
    'constructor',
  ])('returns no table if only the name %s is known', (name) => {
    expect(tableOfChain(name)).toBeUndefined()
  })

  it.each([
    ['OUTPUT', 'KUBE-SERVICES', 'nat'],
    ['OUTPUT', 'DOCKER', 'nat'],
    ['KUBE-SERVICES', 'KUBE-NODEPORTS', 'nat'],
    ['KUBE-SERVICES', 'KUBE-NODE-PORT', 'nat'],
    ['KUBE-SERVICES', 'ACCEPT', 'nat'],
    ['KUBE-SERVICES', 'DROP', 'filter'],
    ['KUBE-NODEPORTS', 'ACCEPT', 'filter'],
    ['KUBE-NODE-PORT', 'ACCEPT', 'filter'],
    ['KUBE-NODE-PORT', 'RETURN', 'nat'],
    ['KUBE-NODE-PORT', 'KUBE-MARK-MASQ', 'nat'],
    ['KUBE-FIREWALL', 'KUBE-MARK-DROP', 'nat'],
    ['KUBE-FIREWALL', 'RETURN', 'nat'],
  ])('for the name %s and a jump to %s returns the table %s', (name, led, table) => {
    expect(tableOfChain(name, led)).toBe(table)
  })
})

describe('the chain of an excerpt rule that names no chain', () => {
  it.each([
    ['-d 10.0.0.1/32 --comment "default/web cluster IP" --dport 80 -j KUBE-SVC-ABC', 'KUBE-SERVICES'],
    ['-d 10.0.0.1/32 --comment "default/web loadbalancer IP" --dport 80 -j KUBE-FW-ABC', 'KUBE-SERVICES'],
    ['-d 10.0.0.1/32 --comment "default/web external IP" --dport 80 -j KUBE-EXT-ABC', 'KUBE-SERVICES'],
    ['-d 10.0.0.1/32 --comment "default/web" --dport 80 -j KUBE-SVC-ABC', undefined],
    ['--comment "default/web" --dport 30080 -j KUBE-EXT-ABC', 'KUBE-NODEPORTS'],
    ['-s 10.0.0.0/8 --dport 30080 -j KUBE-EXT-ABC', undefined],
    ['--comment "default/web" -j KUBE-SVC-ABC', undefined],
    ['--dport 30080 -j KUBE-MARK-MASQ', undefined],
    ['--dport 30080 -j KUBE-SEP-ABC', undefined],
    ['--dport 30080 -j XKUBE-SVC-ABC', undefined],
    ['--dport 30080 -j KUBE-SVL-ABC', 'KUBE-NODEPORTS'],
    ['--dport 30080 -j KUBE-XLB-ABC', 'KUBE-NODEPORTS'],
    ['-d 10.0.0.1/32 --comment "default/web cluster IP here" --dport 80 -j KUBE-SVC-ABC', undefined],
    [
      '--comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -j KUBE-NODEPORTS',
      'KUBE-SERVICES',
    ],
    ['--comment "the kubernetes service nodeports; NOTE" -j KUBE-NODEPORTS', undefined],
    ['--comment "kubernetes health check service ports" -j KUBE-NODEPORTS', undefined],
    ['--comment "kubernetes service nodeports; NOTE" -j KUBE-SERVICES', undefined],
    ['--comment "kubernetes postrouting rules" -j KUBE-POSTROUTING', 'POSTROUTING'],
    ['--comment "kubernetes rules" -j KUBE-POSTROUTING', undefined],
    ['--comment "kubernetes postrouting rules" -j KUBE-SERVICES', undefined],
    ['KUBE-SVC-ABC --dport 80', undefined],
  ])('is inferred from %s: %s', (text, chain) => {
    expect(inferChainFromWords(text.match(/"[^"]*"|\S+/g) ?? [])).toBe(chain)
  })
})

it.each([
  ['service-ULMVA6XW-default/web/tcp/http', 'kube-proxy'],
  ['endpoint-2CRNCTTE-default/web/tcp/http__10.1.2.3/80', 'kube-proxy'],
  ['nat-prerouting', 'kube-proxy'],
  ['filter-output-pre-dnat', 'kube-proxy'],
  ['no-endpoint-nodeports', 'kube-proxy'],
  ['KUBE-SVC-TCOU7JCQXEZGVUNU', 'nat'],
  ['KUBE-SERVICES', undefined],
  ['my-services', undefined],
])('the nftables table with %s is %s', (part, table) => {
  expect(tableOfObject(part)).toBe(table)
})
