import { describe, expect, it } from 'vitest'
import { run } from './support/run.js'

const OBJECTS =
  'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { clusterIP: 10.96.0.20, ports: [{ port: 80 }] }\n'

/** A report with remarks, a table of kubectl and a rule. */
const REPORT = `web does not answer:

NAME   TYPE        CLUSTER-IP    PORT(S)
web    ClusterIP   10.96.0.20    80/TCP

$ iptables-save | grep web
-A KUBE-SERVICES -d 10.96.0.20/32 -p tcp -m comment --comment "default/web has no endpoints" -m tcp --dport 80 -j REJECT
`

const FILES = { 'web.yaml': OBJECTS, 'report.txt': REPORT, 'bad.yaml': 'kind: Service\nmetadata: [web\n' }

describe('a file for the wrong option', () => {
  it.each([
    [
      'explain -f report.txt 10.96.0.20:80',
      'report.txt: it has the rules of a node, which --dump reads (verify, explain and compare)',
    ],
    ['print -f report.txt', 'report.txt: it has the rules of a node, which --dump reads (verify, explain and compare)'],
    ['explain --dump web.yaml 10.96.0.20:80', 'web.yaml: it has Kubernetes objects, which -f reads'],
    ['verify -f web.yaml --dump web.yaml', 'web.yaml: it has Kubernetes objects, which -f reads'],
  ])('is named with its option: %s', async (line, message) => {
    expect(await run(line.split(' '), { files: FILES })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${message}\n`,
    })
  })

  it('keeps the error of a file that is only malformed', async () => {
    const { stderr } = await run(['print', '-f', 'bad.yaml'], { files: FILES })
    expect(stderr).toMatch(/^error: bad\.yaml: document 1, line \d/)
  })
})
