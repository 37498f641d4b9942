import { expect, it } from 'vitest'
import { isExtensionTarget } from '../../../../src/dataplane/iptables/parse/parse-target.js'

/** The targets in iptables-extensions(8) that this library does not model, and targets that only older versions had. */
const TARGETS = `
  AUDIT CHECKSUM CLASSIFY CLUSTERIP CONNMARK CONNSECMARK CT DNPT DSCP ECN HL HMARK IDLETIMER LED LOG NAT NETMAP NFLOG NFQUEUE
  NOTRACK QUEUE RATEEST REDIRECT SECMARK SET SNAT SNPT SYNPROXY TCPMSS TCPOPTSTRIP TEE TOS TPROXY TRACE TTL ULOG`

it.each(TARGETS.trim().split(/\s+/))('%s is an extension target, not a chain', (target) => {
  expect(isExtensionTarget(target)).toBe(true)
})

it.each(['KUBE-SERVICES', 'log', 'ACCEPT', ''])('%s is not an extension target', (target) => {
  expect(isExtensionTarget(target)).toBe(false)
})
