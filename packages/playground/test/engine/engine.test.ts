import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fewRuns, runs } from '../../../compiler/test/support/runs.js'
import { readExamples } from '../../builder/gallery.js'
import { createEngine } from '../../src/engine/engine.js'
import { DEFAULT_REQUEST } from '../../src/question/playground-request.js'
import { answerTo, example } from '../support/answers.js'
import { printed } from '../support/command.js'

/** Copies a result, as between a worker and the page. */
function copied(answer: unknown): unknown {
  return structuredClone(answer)
}

describe('the engine', () => {
  it('returns the same text as the command prints', async () => {
    const engine = createEngine()
    for (const { name, question } of readExamples()) {
      expect(engine.answer('rules', question).text, name).toBe(await printed('print', question))
    }
  })

  it('returns the owner of each printed line', () => {
    const { text, owners, servicePorts } = createEngine().answer('rules', example('seed-ngx-nodeport'))
    const lines = text.trimEnd().split('\n')
    expect(owners).toHaveLength(lines.length)
    for (const [index, line] of lines.entries()) {
      const [, named] = /--comment "([\w-]+\/[\w-]+:[\w-]+)/.exec(line) ?? []
      const owner = servicePorts[(owners[index] ?? 0) - 1]?.name
      if (named !== undefined) expect(owner).toContain(`${named}/`)
    }
  })

  it('returns the YAML lines of the objects of a service port', () => {
    const question = example('seed-ngx-nodeport')
    const { servicePorts } = createEngine().answer('rules', question)
    const lines = question.objects.split('\n')
    const metrics = servicePorts.find(({ name }) => name === 'kube-system/kube-dns:metrics/TCP')
    const own = metrics?.lines.map(({ from, to }) => lines.slice(from, to + 1).join('\n')) ?? []
    expect(own).toHaveLength(2)
    for (const text of own) expect(text).toMatch(/name: metrics[\s\S]*9153/)
    expect(metrics?.objects).toHaveLength(2)
  })

  it('returns the YAML lines of a Service without a namespace', () => {
    const objects = `apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  selector: { app: web }
  ports: [{ port: 80 }]
`
    const engine = createEngine()
    const web = { name: 'default/web/TCP', lines: [{ from: 0, to: 5 }], objects: [{ from: 0, to: 5 }] }
    expect(engine.answer('rules', { ...DEFAULT_REQUEST, objects }).servicePorts).toEqual([web])
    const own = engine.answer('rules', { ...DEFAULT_REQUEST, objects, namespace: 'shop' })
    expect(own.servicePorts).toEqual([{ ...web, name: 'shop/web/TCP' }])
  })

  it.each(['iptables', 'ipvs', 'nftables'])('returns the line of each rule on a path in mode %s', (mode) => {
    const engine = createEngine()
    const question = { ...example('node-port'), mode }
    const lines = engine.answer('rules', question).text.split('\n')
    const { paths, lines: numbers } = engine.answer('packet', question)
    const texts = paths.flatMap(({ steps }) => steps.map(({ text }) => text))
    expect(texts.length).toBeGreaterThan(10)
    // The text of nftables prints the elements of maps, not the rule with the matching element.
    const printed = texts.filter((text) => lines.some((line) => line.trim() === text))
    expect(printed.filter((text) => numbers[text]?.length === 0)).toEqual([])
    if (mode === 'iptables') expect(printed).toEqual(texts)
  })

  it('uses the interfaces of an example only for the node of the example', () => {
    const first = example('seed-ngx-nodeport')
    const second = `---
apiVersion: v1
kind: Node
metadata: { name: node-2 }
status: { addresses: [{ type: InternalIP, address: 192.168.0.42 }] }
`
    const request = { ...first, objects: `${first.objects}\n${second}`, node: 'node-2' }
    const engine = createEngine()
    const packet = engine.answer('packet', { ...request, packet: 'from outside → 192.168.0.42:30080' })
    expect(packet.sentence).toContain('one of 3 endpoints')
    const { notes, node, nodes } = engine.answer('rules', request)
    expect(notes).toContain('the node’s interfaces are those of master01.k8s.org, and not used for node node-2')
    expect({ node, nodes }).toEqual({ node: 'node-2', nodes: ['master01.k8s.org', 'node-2'] })
    const own = engine.answer('rules', { ...request, node: 'master01.k8s.org' })
    expect(own.notes.filter((note) => note.includes('interfaces'))).toEqual([])
    expect(engine.answer('rules', { ...request, node: '' }).node).toBe('master01.k8s.org')
  })

  it('uses no interfaces of an example after other objects replaced the example', () => {
    const service = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { type: NodePort, clusterIP: 10.96.0.1, ports: [{ name: http, port: 80, nodePort: 30080 }] }
`
    const request = { ...example('seed-ngx-nodeport'), objects: service, packet: 'from outside → node:30080' }
    expect(createEngine().answer('packet', request).text).not.toContain('10.244.0.0')
  })

  it('describes session affinity in the sentence about a packet', () => {
    const { objects, packet } = example('node-port')
    const affinity = 'sessionAffinity: ClientIP\n  sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } }'
    const request = { ...DEFAULT_REQUEST, objects: objects.replace('externalTrafficPolicy: Cluster', affinity), packet }
    expect(createEngine().answer('packet', request).sentence).toMatch(
      / each with 1\/2, .*\. For 600 s, later connections of the same client go to the same endpoint\.$/,
    )
  })

  it('traces a packet through a dump if there are no objects', () => {
    const { text } = createEngine().answer('rules', example('seed-ngx-nodeport'))
    const request = { ...DEFAULT_REQUEST, dump: text, through: 'dump', packet: 'from pod → 10.97.166.233:80' }
    const { problem, sentence } = createEngine().answer('packet', request)
    expect(problem).toBe('')
    expect(sentence).toContain('one of 3 endpoints')
  })

  it('suggests packets through a dump without objects', () => {
    const { text } = createEngine().answer('rules', example('seed-ngx-nodeport'))
    const { packets } = createEngine().answer('dump', { ...DEFAULT_REQUEST, dump: text })
    expect(packets).toContain('from pod → 10.97.166.233:80')
    for (const packet of packets) {
      const request = { ...DEFAULT_REQUEST, dump: text, through: 'dump', packet }
      expect(createEngine().answer('packet', request).sentence, packet).toContain(' goes to ')
    }
  })

  it('returns the owners of a dump without objects, and a note instead of an error', () => {
    const { text } = createEngine().answer('rules', example('seed-ngx-nodeport'))
    const { problem, counts, notes } = createEngine().answer('dump', { ...DEFAULT_REQUEST, dump: text })
    expect(problem).toBe('')
    expect(counts).toHaveLength(6)
    expect(notes).toEqual(['paste the objects of the cluster to see the drift'])
  })

  it('returns the lines of other programs in a dump', () => {
    const dump = '*filter\n:DOCKER-USER - [0:0]\n:OWN - [0:0]\n-A DOCKER-USER -j RETURN\nCOMMIT\n'
    const { programs, names, owners, text } = createEngine().answer('dump', { ...DEFAULT_REQUEST, dump })
    expect(programs).toEqual([{ name: 'Docker', lines: 2 }])
    const lines = text.split('\n').filter((_, index) => names[(owners[index] ?? 0) - 1] === 'Docker')
    expect(lines).toEqual([':DOCKER-USER - [0:0]', '-A DOCKER-USER -j RETURN'])
  })

  it.each([
    ['an unknown version', { version: '9.99' }, '9.99'],
    ['an unknown mode', { mode: 'other' }, 'other'],
    ['invalid interfaces', { host: 'interfaces: 7' }, 'interfaces'],
  ])('returns the error of a dump for %s if there are no objects', (_name, fields, expected) => {
    const { text } = createEngine().answer('rules', example('seed-ngx-nodeport'))
    const { problem, counts } = createEngine().answer('dump', { ...DEFAULT_REQUEST, ...fields, dump: text })
    expect(problem).toContain(expected)
    expect(counts.length).toBeGreaterThan(0)
  })

  it('names the mode of a dump if it differs from the selected mode', () => {
    const engine = createEngine()
    const request = example('seed-ngx-nodeport')
    const note = (mode: string, of: string) => {
      const { text } = engine.answer('rules', { ...request, mode: of })
      return engine
        .answer('dump', { ...request, mode, dump: text })
        .notes.filter((each) => each.includes('has rules of'))
    }
    expect(note('iptables', 'nftables')).toEqual([
      'the dump has rules of nftables mode, and the rules here are those of iptables mode: choose nftables as the mode',
    ])
    expect(note('nftables', 'iptables')).toHaveLength(1)
    expect(note('nftables', 'nftables')).toEqual([])
    expect(note('iptables', 'iptables')).toEqual([])
  })

  it('returns the same result regardless of earlier requests', () => {
    const examples = readExamples().map(({ question }) => question)
    const engine = createEngine()
    fc.assert(
      fc.property(fc.constantFrom(...examples), fc.constantFrom('', 'ipvs', 'nftables'), (question, mode) => {
        const request = { ...question, mode, version: '' }
        const fresh = createEngine()
        expect(engine.answer('rules', request)).toEqual(fresh.answer('rules', request))
        expect(engine.answer('packet', request).text).toBe(fresh.answer('packet', request).text)
      }),
      { numRuns: runs(30) },
    )
  })

  it('returns the same result after arbitrary edits as a new engine', () => {
    const lines = fc.constantFrom(
      '---',
      '  name: web',
      'kind: Service',
      '    - port: 81',
      '  clusterIP: 10.96.0.77',
      'a: [',
      '',
    )
    const edit = fc.record({ at: fc.nat(), removed: fc.nat(2), added: fc.array(lines, { maxLength: 2 }) })
    const edits = fc.array(edit, { minLength: 1, maxLength: 5 })
    const names = fc.constantFrom('seed-saythx-redis', 'every-frontend', 'dual-stack')
    const modes = fc.constantFrom('iptables', 'nftables', 'ipvs')
    fc.assert(
      fc.property(names, modes, edits, (name, mode, all) => {
        const engine = createEngine()
        const question = { ...example(name), mode, before: example(name).objects }
        let text = question.objects
        for (const { at, removed, added } of all) {
          const edited = text.split('\n')
          edited.splice(at % edited.length, removed, ...added)
          text = edited.join('\n')
          const [request, fresh] = [{ ...question, objects: text }, createEngine()]
          for (const part of ['rules', 'packet', 'change'] as const) {
            expect(copied(engine.answer(part, request))).toEqual(copied(fresh.answer(part, request)))
          }
        }
      }),
      { numRuns: fewRuns(25) },
    )
  })

  it('groups the effects of an edit by the Service that caused the effects', () => {
    const { objects } = example('seed-ngx-nodeport')
    const engine = createEngine()
    const changed = objects.replace('10.244.3.86', '10.244.3.87').replace('nodePort: 30080', 'nodePort: 30081')
    const { groups } = engine.answer('change', { ...DEFAULT_REQUEST, objects: changed, before: objects })
    expect(groups.map(({ object, sentence }) => [object, sentence])).toEqual([
      ['Service default/ngx-dep-svc-nodeport', 'node port 30080 → 30081'],
      ['Service default/ngx-dep-svc', 'endpoint 10.244.3.86 → 10.244.3.87'],
    ])
    for (const { object, traffic, rules } of groups) {
      expect(traffic.length).toBeGreaterThan(0)
      expect(rules.filter(({ side }) => side !== 'both').length).toBeGreaterThan(0)
      for (const { objects: found } of traffic) expect(`Service ${found[0]?.namespace}/${found[0]?.name}`).toBe(object)
    }
  })

  it('marks an effect as an error only if the edit loses packets', () => {
    const { objects } = example('seed-saythx-redis')
    const severities = (before: string, after: string) => {
      const { groups } = createEngine().answer('change', { ...DEFAULT_REQUEST, objects: after, before })
      return new Set(groups.flatMap(({ traffic }) => traffic.map(({ severity }) => severity)))
    }
    const without = objects.replace(/ready: true/g, 'ready: false').replace(/serving: true/g, 'serving: false')
    expect(severities(objects, without)).toContain('error')
    expect(severities(without, objects)).not.toContain('error')
  })

  it.each([
    ['rules', { objects: 'kind: [' }, 'failure'],
    ['rules', { objects: '' }, 'failure'],
    ['packet', { objects: 'kind: [', packet: 'from pod → 10.0.0.1:1' }, 'problem'],
    ['change', { objects: 'kind: [', before: 'x' }, 'problem'],
    ['comparison', { objects: 'kind: [', against: 'ipvs' }, 'problem'],
    ['dump', { objects: 'kind: [', dump: 'x' }, 'problem'],
  ] as const)('returns an error instead of the result for "%s" with the request %o', (part, fields, where) => {
    const answer = createEngine().answer(part, { ...DEFAULT_REQUEST, ...fields }) as unknown as Record<string, string>
    expect(answer[where]).toMatch(/^error: /)
  })
})

describe('the sentence about a packet', () => {
  it.each([
    [
      'from pod → 10.96.0.10:53/udp',
      'goes to one of 2 endpoints of kube-system/kube-dns:dns/UDP, each with 1/2, with its own source address.',
    ],
    [
      'from pod → 10.96.0.1:443',
      'goes to 192.168.0.41:6443, the endpoint of default/kubernetes:https/TCP, with its own source address.',
    ],
    ['from pod → 10.96.0.10:54', 'is not handled by kube-proxy: no Service has this address and port.'],
  ])('describes the outcome of the packet %s', (packet, end) => {
    expect(answerTo('seed-ngx-nodeport', { packet }).sentence).toMatch(
      new RegExp(`^A \\w+ packet from a pod to .* ${end.replaceAll(/[.()/]/g, '\\$&')}$`),
    )
  })
})
