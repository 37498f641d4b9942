import { expect, it } from 'vitest'
import { isHealthCheckComment, parseServicePortName } from '../../../src/targets/iptables/annotate-rules.js'

it.each([
  ['ns/web', 'ns/web'],
  ['ns/web:http', 'ns/web:http'],
  ['ns/web:', 'ns/web'],
  ['ns/web:http cluster IP', 'ns/web:http'],
  ['ns/web: cluster IP', 'ns/web'],
  ['ns/web:http external IP', 'ns/web:http'],
  ['ns/web:http loadbalancer IP', 'ns/web:http'],
  ['ns/web:http has no endpoints', 'ns/web:http'],
  ['ns/web:http has no local endpoints', 'ns/web:http'],
  ['ns/web:http health check node port', 'ns/web:http'],
  ['ns/web:http -> 10.0.0.1:80', 'ns/web:http'],
  ['ns/web:http traffic not accepted by KUBE-FW-A', 'ns/web:http'],
  ['pod traffic for ns/web:http external destinations', 'ns/web:http'],
  ['masquerade traffic for ns/web:http external destinations', 'ns/web:http'],
  ['masquerade LOCAL traffic for ns/web:http external destinations', 'ns/web:http'],
  ['route LOCAL traffic for ns/web external destinations', 'ns/web'],
  ['masquerade LOCAL traffic for ns/web:http LB IP', 'ns/web:http'],
  ['route LOCAL traffic for ns/web:http LB IP to service chain', 'ns/web:http'],
  ['other traffic to ns/web:http will be dropped by KUBE-PROXY-FIREWALL', 'ns/web:http'],
  ['Balancing rule 12 for ns/web:http', 'ns/web:http'],
])('the comment "%s" contains the name %s', (comment, name) => {
  expect(parseServicePortName(comment)).toBe(name)
})

it.each([
  '',
  'kubernetes service portals',
  'ns/web:http cluster IP of somebody',
  'the ns/web:http cluster IP',
  'ns/web:http internal IP',
  'ns/web/more',
  'ns/web:http:more',
  'ns/',
  '/web',
  'Balancing rule x for ns/web',
  'a Balancing rule 1 for ns/web',
  'LOCAL traffic for ns/web external destinations',
  'route LOCAL traffic for ns/web external destinations here',
  'other traffic to ns/web will be dropped',
  'ns/web traffic not accepted by two words',
])('the comment %j contains no name', (comment) => {
  expect(parseServicePortName(comment)).toBeUndefined()
})

it('a comment of a health check is recognized by its suffix', () => {
  expect(
    ['ns/web health check node port', 'ns/web health check node port x', 'ns/web'].map(isHealthCheckComment),
  ).toEqual([true, false, false])
})
