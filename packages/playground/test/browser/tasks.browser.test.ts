import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { example } from '../support/answers.js'
import { answered, describeInBrowser, recordTexts } from '../support/browser.js'
import { CALICO_DUMP, DUAL_STACK, KIND_LIST, MANIFEST, manyServices, rulesOf } from '../support/pastes.js'
import { createReader, type Reader } from '../support/reader.js'

// The tasks of readers, with the number of their clicks and keys. The README lists them.

const objectsEditor = ({ page }: Reader) => page.getByRole('textbox', { name: 'Objects of the cluster' })
const line = ({ page }: Reader, text: string) => page.locator('.pane.objects .cm-line', { hasText: text }).first()
const textOf = ({ page }: Reader, selector: string) => page.locator(selector).innerText()

describeInBrowser('a reader of the page', ({ open }) => {
  /** Opens the first page. */
  async function begin(): Promise<Reader> {
    const { page } = await open(example('node-port'))
    return createReader(page)
  }

  async function pasteObjects(text: string): Promise<Reader> {
    const reader = await begin()
    await reader.press('Paste your YAML')
    await reader.paste(text)
    return reader
  }

  it('1: sees the rules of the Node that a packet goes to, of three in a List of kubectl', async () => {
    const reader = await pasteObjects(KIND_LIST)
    await reader.ask('from outside → 172.18.0.3:31080')
    expect(await reader.sentence()).toContain('goes to one of 3 endpoints of shop/web:http/TCP, each with 1/3')
    expect(await textOf(reader, '.node-choice')).toContain('the packet goes to its address 172.18.0.3')
    expect(await textOf(reader, '#choose-kube-proxy')).toContain('auto (1.33)')
    expect(reader.actions()).toBe(2)
  })

  it('2: sees why a Service fails in a dump of a node with Calico', async () => {
    const reader = await begin()
    await reader.press('Paste a node dump')
    await reader.paste(CALICO_DUMP)
    await reader.press('from pod → 10.96.0.1:443')
    expect(await reader.sentence()).toContain('10.96.0.1:443 may be silently dropped')
    const headline = await textOf(reader, '.headline')
    expect(headline).toContain('may be dropped by a rule of Calico')
    expect(headline).toContain('kubectl get networkpolicies -A')
    expect(reader.actions()).toBe(2)
  })

  it('3: sees that the node drops a packet that the objects deliver', async () => {
    const reader = await pasteObjects(KIND_LIST)
    await reader.ask('default/kubernetes')
    await reader.choose(reader.page.locator('#choose-node'), 'kind-worker')
    await reader.click(reader.page.locator('#tab-dump'))
    await reader.click(reader.page.getByRole('textbox', { name: 'Node rules' }))
    await reader.paste(CALICO_DUMP)
    expect(await reader.sentence()).toContain('may be silently dropped')
    const sides = await textOf(reader, '.sides')
    expect(sides).toContain('The node: may be silently dropped')
    expect(sides).toContain('The objects: goes to 172.18.0.2:6443')
    expect(reader.actions()).toBe(5)
  })

  it('4: shares the difference between two traffic policies', async () => {
    const reader = await begin()
    await reader.press('Keep as “before”')
    await reader.click(line(reader, 'externalTrafficPolicy'))
    await reader.key('End')
    await reader.key('Control+Shift+ArrowLeft')
    await reader.page.keyboard.type('Local')
    await answered(reader.page)
    const other = await reader.page.context().newPage()
    await other.goto(await reader.copyLink())
    await answered(other)
    expect(await other.locator('#panel-change .effect').innerText()).toContain(
      'external traffic policy Cluster → Local: each endpoint 1/2 → 1; masqueraded → client IP',
    )
    expect(await other.locator('#panel-change .example').innerText()).toMatch(/Before\s+2 endpoints, each 1\/2/)
    expect(reader.actions()).toBe(5)
  })

  it('5: sees what nftables changes for a Service', async () => {
    const reader = await begin()
    await reader.click(reader.page.getByRole('tab', { name: 'Compare' }))
    await reader.choose(reader.page.getByLabel('against'), 'nftables')
    const text = await textOf(reader, '#panel-comparison')
    expect(text).toContain('1 of 1 Service behaves differently: 1 loses packets, 1 keeps the client IP')
    expect(text).toContain('Example: from node → 127.0.0.1:30080')
    expect(reader.actions()).toBe(2)
  })

  it('6: finds the rules of an endpoint', async () => {
    const reader = await begin()
    await reader.click(line(reader, '10.244.2.7'))
    await reader.key('Control+Enter')
    const rules = () => reader.page.locator('.panel.rules .cm-line.linked').allInnerTexts()
    const ofEndpoint = expect.stringContaining('10.244.2.7')
    await expect.poll(rules).toEqual([ofEndpoint, ofEndpoint, ofEndpoint])
    expect(reader.actions()).toBe(2)
  })

  it('7: scales a Deployment to zero', async () => {
    const reader = await pasteObjects(MANIFEST)
    await reader.ask('web')
    await reader.click(reader.page.getByRole('slider', { name: 'Pods' }))
    await reader.key('Home')
    expect(await reader.sentence()).toMatch(/ is rejected\.$/)
    expect(await textOf(reader, '.headline')).toContain('kubectl -n default scale deployment web --replicas=1')
    expect(await textOf(reader, '.problems')).toContain('Deployment default/web has 0 replicas')
    expect(reader.actions()).toBe(4)
  })

  it('8: sees what session affinity does', async () => {
    const reader = await pasteObjects(DUAL_STACK)
    await reader.ask('shop/web')
    expect(await reader.sentence()).toContain('For 600 s, later connections of the same client go to the same endpoint')
    expect(reader.actions()).toBe(2)
  })

  it('9: saves a picture with both branches', async () => {
    const reader = await begin()
    const download = reader.page.waitForEvent('download')
    await reader.press('SVG')
    const text = readFileSync(await (await download).path(), 'utf8')
    expect(text).toContain('>to 10.244.1.5:8080<title')
    expect(text).toContain('>or 1/2: 10.244.2.7:8080<title')
    expect(text).toContain('>from outside → node:30080 → 10.244.1.5:8080, masqueraded<')
    expect(reader.actions()).toBe(1)
  })

  it('10: opens an example by its title, and traces another packet, without a mouse', async () => {
    const reader = await begin()
    await reader.key('e')
    await reader.page.keyboard.type('IPv4 and IPv6')
    await reader.key('Enter')
    await reader.key('/')
    await reader.page.keyboard.type('from outside → 203.0.113.10:80')
    await answered(reader.page)
    expect(await textOf(reader, '.introduction .example')).toContain('IPv4 and IPv6')
    expect(await reader.sentence()).toContain('203.0.113.10:80 goes to')
    expect(reader.actions()).toBe(3)
  })

  it('11: shares a large cluster, with a word about the length of the link', async () => {
    const reader = await pasteObjects(manyServices(1000))
    await reader.ask('s777')
    const texts = await recordTexts(reader.page, '.tools > button >> nth=0')
    const link = await reader.copyLink()
    await expect.poll(texts).toContainEqual(expect.stringMatching(/^Link copied \(\d+ kB\)$/))
    const other = await reader.page.context().newPage()
    await other.goto(link)
    await answered(other)
    expect(await other.locator('.sentence').innerText()).toBe(await reader.sentence())
    expect(reader.actions()).toBe(3)
  })

  it('12: takes back a wrong paste, and returns from an example', async () => {
    const reader = await begin()
    await reader.click(objectsEditor(reader))
    await reader.key('Control+A')
    await reader.paste('wrong')
    await reader.key('Control+Z')
    expect(await reader.sentence()).toContain('goes to one of 2 endpoints of shop/web')
    const length = await reader.page.evaluate(() => history.length)
    await reader.press('Paste your YAML')
    // The entry of the history is added after the link is deflated.
    await expect.poll(() => reader.page.evaluate(() => history.length)).toBe(length + 1)
    await reader.page.goBack()
    await expect.poll(() => reader.sentence()).toContain('goes to one of 2 endpoints of shop/web')
    expect(reader.actions()).toBe(4)
  })

  it('13: moves a paste to the editor that it belongs to', async () => {
    const reader = await pasteObjects(CALICO_DUMP)
    expect(await textOf(reader, '.problems')).toMatch(/^This is a dump of a node\./)
    await reader.press('Move it to the node dump')
    await reader.press('from pod → 10.96.0.1:443')
    expect(await reader.sentence()).toContain('may be silently dropped')
    await reader.click(reader.page.locator('.paste .cm-line').first())
    await reader.key('Control+A')
    await reader.paste(KIND_LIST)
    expect(await textOf(reader, '.report')).toMatch(/^These are objects of a cluster\./)
    await reader.press('Move them to the objects')
    expect(await reader.sentence()).toContain('goes to 172.18.0.2:6443')
    expect(reader.actions()).toBe(6)
  })

  it('14: sees the rules of both families of a Service', async () => {
    const reader = await pasteObjects(DUAL_STACK)
    const rules = reader.page.locator('.panel.rules .cm-content')
    await reader.ask('fd00:10:96::a')
    expect(await reader.sentence()).toContain('to [fd00:10:96::a]:80 goes to one of 2 endpoints')
    await reader.ask('10.96.0.33')
    expect(await reader.sentence()).toContain('to 10.96.0.33:80 goes to one of 2 endpoints')
    await reader.choose(reader.page.getByLabel('Family'), 'IPv6')
    await expect.poll(() => rules.innerText()).toContain('-d fd00:10:96::a/128')
    expect(reader.actions()).toBe(4)
  })

  it.each(['ipvs', 'nftables'] as const)('15: sees that a dump has rules of %s mode', async (mode) => {
    const reader = await pasteObjects(KIND_LIST)
    await reader.click(reader.page.locator('#tab-dump'))
    await reader.click(reader.page.getByRole('textbox', { name: 'Node rules' }))
    await reader.paste(rulesOf(mode, 'kind-control-plane'))
    expect(await textOf(reader, '.report')).toContain(`choose ${mode} as the mode`)
    await reader.choose(reader.page.getByLabel('Mode', { exact: true }), mode)
    expect(await textOf(reader, '.report')).toContain('no drift')
    expect(reader.actions()).toBe(4)
  })

  it('16: sees what is wrong with other texts in one line', async () => {
    const reader = await pasteObjects('')
    const texts: Readonly<Record<string, RegExp>> = {
      'NAME   TYPE        CLUSTER-IP   PORT(S)\nweb    ClusterIP   10.96.0.1    80/TCP\n': /-o yaml instead$/,
      '<html><body>x</body></html>': /expected a Kubernetes object, got a string$/,
      '\u0000': /null byte/,
      ['['.repeat(30_000)]: /the bracket or quote is not closed/,
      'name: {{ .Values.x }}\nkind: Service\n': /expected the output of helm template/,
    }
    for (const [text, expected] of Object.entries(texts)) {
      await objectsEditor(reader).press('Control+A')
      await reader.paste(text)
      expect(await textOf(reader, '.problems')).toMatch(expected)
      expect(await reader.page.locator('.problems > *').count()).toBe(1)
    }
    expect(reader.actions()).toBe(1)
  })

  it('17: sees the rules of 48 Services', async () => {
    const reader = await pasteObjects(manyServices(48))
    expect(await reader.page.locator('.legend .chip').count()).toBe(48)
    await reader.ask('s47')
    expect(await reader.sentence()).toContain('goes to 10.244.0.48:8080')
    expect(reader.actions()).toBe(2)
  })

  it('18: understands a Service and a Deployment without addresses', async () => {
    const reader = await pasteObjects(MANIFEST)
    await reader.ask('web')
    expect(await reader.sentence()).toContain('goes to one of 3 endpoints of default/web/TCP, each with 1/3')
    expect(await textOf(reader, '.problems')).toContain('assumed, because they are not in the input: namespace default')
    await expect.poll(() => reader.page.locator('.pane.objects .port-number').allInnerTexts()).toContain('1')
    await reader.click(line(reader, 'port: 80'))
    await reader.key('Control+Enter')
    const linked = () => reader.page.locator('.panel.rules .cm-line.linked').allInnerTexts()
    await expect.poll(async () => (await linked()).length).toBeGreaterThan(0)
    expect((await linked()).every((rule) => rule.includes('--dport 80 '))).toBe(true)
    expect(reader.actions()).toBe(4)
  })

  it('19: moves from version 1.37 to 1.14', async () => {
    const reader = await begin()
    await reader.click(reader.page.getByRole('tab', { name: 'Compare' }))
    await reader.page.getByRole('slider', { name: 'Version' }).focus()
    await reader.key('Home')
    const text = await textOf(reader, '#panel-comparison')
    expect(text).toMatch(/From 1\.\d+ on/)
    expect(text).toContain('--random-fully')
    expect(reader.actions()).toBe(2)
  })

  it('20: is warned of a misspelled field', async () => {
    const reader = await begin()
    await reader.click(line(reader, 'externalTrafficPolicy'))
    await reader.key('Home')
    await reader.key('Shift+End')
    await reader.page.keyboard.insertText('externalTrafficPolcy: Local')
    await answered(reader.page)
    expect(await textOf(reader, '.problems')).toContain('did you mean externalTrafficPolicy?')
    expect(await reader.sentence()).toContain('goes to one of 2 endpoints of shop/web')
    expect(reader.actions()).toBe(3)
  })
})
