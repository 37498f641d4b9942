import type { Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import { printFamily } from '../support/print-family.js'

function serviceAt(name: string, clusterIP: string, externalIPs: readonly string[] = []): Service {
  return { metadata: { namespace: 'a', name }, spec: { clusterIP, externalIPs, ports: [{ port: 80 }] } }
}

function virtualServers(services: readonly Service[]): readonly string[] {
  const result = compile({ services }, { mode: 'ipvs' })
  const lines = printFamily(result, { family: 'IPv4', subsystem: 'ipvs' }).split('\n')
  return lines.filter((line) => line.startsWith('-A '))
}

describe('compile in ipvs mode', () => {
  it.each<[string, readonly Service[]]>([
    ['by one Service as cluster IP and as external IP', [serviceAt('web', '10.96.0.1', ['10.96.0.1'])]],
    ['by one Service as two external IPs', [serviceAt('web', '10.96.0.1', ['10.96.0.1', '010.96.0.1'])]],
    ['by two Services', [serviceAt('web', '10.96.0.1'), serviceAt('db', '10.96.0.1')]],
  ])('creates one virtual server for an address that is claimed %s', (_, services) => {
    expect(virtualServers(services)).toEqual(['-A -t 10.96.0.1:80 -s rr'])
  })
})
