import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { readExamples } from '../../builder/gallery.js'
import { findViolations } from '../support/axe.js'
import { answered, copiedLink, describeInBrowser } from '../support/browser.js'

function example(name: string) {
  const found = readExamples().find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no example ${name}`)
  return found.question
}

const rulesText = (page: Page) => page.locator('.panel.rules .cm-content').innerText()

describeInBrowser('the page', ({ open }) => {
  it('initially shows the node port of a real cluster, and the path of an external packet', async () => {
    const { page, requests, faults } = await open()
    expect(await page.locator('.sentence').innerText()).toBe(
      'A TCP packet from outside to 192.168.0.41:30080 goes to one of 3 endpoints of default/ngx-dep-svc-nodeport:http/TCP, ' +
        'each with 1/3, with the node’s address as its source.',
    )
    expect(await page.locator('.path-item .share').allInnerTexts()).toEqual(['1/3', '1/3', '1/3'])
    await expect.poll(() => rulesText(page)).toContain('KUBE-SVC-BZLGMOB35QVMRT4I')
    expect(requests).toEqual([])
    expect(faults).toEqual([])
  })

  it('updates the result while the user types', async () => {
    const { page } = await open()
    const editor = page.getByRole('textbox', { name: 'Objects of the cluster' })
    await editor.press('Control+Home')
    await editor.press('Control+F')
    await page.keyboard.press('Escape')
    await editor.press('Control+End')
    await page.keyboard.insertText(
      '\n---\napiVersion: v1\nkind: Service\nmetadata: { name: typed, namespace: default }\nspec: { clusterIP: 10.96.7.7, ports: [{ port: 80 }] }\n',
    )
    await answered(page)
    await page.getByRole('button', { name: 'default/typed/TCP' }).click()
    await expect.poll(() => rulesText(page)).toContain('10.96.7.7')
  })

  it('explains the word below the pointer', async () => {
    const { page } = await open()
    await page
      .locator('.panel.rules .cm-line', { hasText: '-j KUBE-MARK-MASQ' })
      .getByText('KUBE-MARK-MASQ')
      .first()
      .hover()
    await page.locator('.meaning').waitFor()
    expect(await page.locator('.meaning').innerText()).toBe('Marks the packet. KUBE-POSTROUTING later masquerades it.')
  })

  it('reports an error at its position in the text', async () => {
    const { page } = await open({
      objects:
        'apiVersion: v1\nkind: Service\nmetadata: { name: web, namespace: default }\nspec:\n  clusterIP: 10.96.0.300\n  ports:\n    - port: 80\n',
    })
    const problem = page.locator('.problem')
    expect(await problem.first().innerText()).toMatch(/spec\.clusterIP.*\(line 5\)/)
    await expect.poll(() => page.locator('.objects .problem-mark[title*="clusterIP"]').count()).toBe(1)
  })

  it('keeps the last rules while the objects are invalid, and marks the error in the editor', async () => {
    const { page, faults } = await open()
    const editor = page.getByRole('textbox', { name: 'Objects of the cluster' })
    await editor.press('Control+End')
    await page.keyboard.insertText('\nx: [\n')
    await answered(page)
    await expect.poll(() => rulesText(page)).toContain('KUBE-SVC-BZLGMOB35QVMRT4I')
    expect(await page.locator('.panel.rules.stale').count()).toBe(1)
    expect(await page.locator('.pane.packet.stale .sentence').innerText()).toContain('goes to one of 3 endpoints')
    expect(await page.locator('.introduction .example').innerText()).toContain('with your edits')
    expect(await findViolations(page)).toEqual([])
    const error = page.getByRole('button', { name: /column \d+/ })
    expect(await error.count()).toBe(1)
    await error.click()
    await expect.poll(() => page.locator('.objects .problem-mark[title*="column"]').count()).toBe(1)
    await editor.press('Control+z')
    await answered(page)
    expect(await page.locator('.stale').count()).toBe(0)
    expect(faults).toEqual([])
  })

  it('shows no error initially if there are no objects', async () => {
    const { page } = await open({ objects: '' })
    expect(await page.locator('.problems').innerText()).toBe('')
  })

  it.each([
    [390, 844],
    [720, 450],
  ])('opens without scrolling at %i x %i pixels', async (width, height) => {
    const { page } = await open({}, { viewport: { width, height } })
    await answered(page)
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
  })

  it('shows a result even if the link names a missing pane', async () => {
    for (const pane of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const { page, faults } = await open({ pane })
      await answered(page)
      expect(faults).toEqual([])
      expect(await page.locator('.fault').isHidden()).toBe(true)
    }
  })

  it('shows errors anywhere in the text without scrolling', async () => {
    const { page } = await open({ objects: 'kind: [' })
    expect(await page.locator('.problems').innerText()).toMatch(/^error: /)
    expect(await page.locator('.sentence').innerText()).not.toBe('')
  })

  it('offers all fixtures and troubleshooting cases as examples', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Examples' }).click()
    expect(await page.locator('[data-example]').count()).toBe(readExamples().length)
    await page.locator('[data-example=seed-saythx-redis]').click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('work/saythx-redis')
  })

  it('prints the selected mode, format, subsystem and version', async () => {
    const { page } = await open(example('seed-ngx-nodeport'))
    const choose = async (label: string, value: string) => {
      await page.getByLabel(label, { exact: true }).selectOption(value)
      await answered(page)
    }
    await choose('Mode', 'nftables')
    await expect.poll(() => rulesText(page)).toContain('table ip kube-proxy')
    await choose('Mode', 'ipvs')
    await choose('Text', 'listing')
    await expect.poll(() => rulesText(page)).toContain('IP Virtual Server version')
    await choose('Text', 'restore')
    await choose('Part', 'ipset')
    await expect.poll(() => rulesText(page)).toContain('create KUBE-')
    await choose('Mode', 'iptables')
    await choose('kube-proxy', '1.30')
    expect(await page.getByLabel('kube-proxy', { exact: true }).inputValue()).toBe('1.30')
    await choose('Family', 'both')
    await expect.poll(() => rulesText(page)).toContain('# IPv4')
  })

  it('highlights the rules of a YAML line, and the YAML lines of a rule', async () => {
    const { page } = await open(example('seed-ngx-nodeport'))
    await page.getByRole('button', { name: /kube-system\/kube-dns:metrics\/TCP/ }).click()
    await expect.poll(() => page.locator('.objects .cm-line.lit').count()).toBeGreaterThan(0)
    const lit = await page.locator('.objects .cm-line.lit').allInnerTexts()
    expect(lit.join('\n')).toContain('name: metrics')
    const rule = page.locator('.panel.rules .cm-line', { hasText: 'kube-dns:metrics' }).first()
    expect(await rule.getAttribute('class')).toContain('lit')
    const other = page.locator('.objects .cm-line', { hasText: 'name: dns-tcp' }).first()
    await other.scrollIntoViewIfNeeded()
    await other.hover()
    await expect.poll(() => rule.getAttribute('class')).not.toContain('lit')
    await other.click()
    await expect
      .poll(async () => (await page.locator('.panel.rules .cm-line.lit').allInnerTexts()).join('\n'))
      .toContain('kube-dns:dns-tcp')
  })

  it('links a field to its rules, and a rule to its field', async () => {
    const { page } = await open(example('seed-ngx-nodeport'))
    const linked = (pane: string) => page.locator(`${pane} .cm-line.linked`).allInnerTexts()
    const field = page.locator('.objects .cm-line', { hasText: 'nodePort: 30080' })
    await field.scrollIntoViewIfNeeded()
    await field.click()
    await expect.poll(() => linked('.panel.rules')).toEqual([expect.stringContaining('--dport 30080')])
    await page.locator('.panel.rules .cm-line.linked').hover()
    await expect.poll(() => linked('.objects')).toEqual([expect.stringContaining('nodePort: 30080')])
  })

  it('shows the same number and color for a service port in every pane', async () => {
    const { page } = await open(example('seed-ngx-nodeport'))
    const hues = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((found) => [
          ...new Set(found.map((each) => (each as HTMLElement).style.getPropertyValue('--hue'))),
        ])
    const [chip] = await hues('.chip[value="2"]')
    expect(await hues('.tree .owned')).toEqual([chip])
    expect(await hues('.step[style]')).toEqual([chip])
    expect(await hues('.panel.rules .cm-gutterElement:has(.port-number:text-is("2")) .stripe')).toEqual([chip])
  })

  it('marks the rule of a step when the user selects the step', async () => {
    const { page } = await open(example('seed-ngx-nodeport'))
    await page.getByRole('button', { name: /DNAT.*Show the rule/ }).click()
    await expect.poll(() => page.locator('.panel.rules .cm-line.marked').count()).toBe(1)
    expect(await page.locator('.panel.rules .cm-line.marked').innerText()).toContain('--to-destination 10.244.2.93:80')
    await page.locator('.tree .line.step', { hasText: 'POSTROUTING' }).click()
    await expect
      .poll(async () => (await page.locator('.panel.rules .cm-line.marked').allInnerTexts()).join())
      .toContain('MASQUERADE')
  })

  it('explains other packets, and reports an invalid packet', async () => {
    const { page } = await open(example('seed-ngx-nodeport'))
    const ask = async (text: string) => {
      await page.locator('#packet').fill(text)
      await answered(page)
      return page.locator('.sentence').innerText()
    }
    expect(await ask('from pod → 10.96.0.10:53/udp')).toContain('one of 2 endpoints of kube-system/kube-dns:dns/UDP')
    expect(await ask('from pod → default/kubernetes:https')).toContain('192.168.0.41:6443')
    expect(await ask('from pod → 10.96.0.10:54')).toContain('is not handled by kube-proxy')
    expect(await ask('nowhere')).toContain('there is no Service nowhere')
    expect(await ask('nowhere!')).toContain('is not a valid destination')
    await page.getByRole('button', { name: 'from node' }).click()
    expect(await page.locator('#packet').inputValue()).toBe('from node → nowhere!')
  })

  it('explains packets of existing flows', async () => {
    const { page } = await open({ ...example('23-udp-goes-to-a-pod-that-is-gone'), established: false })
    const diagnoses = page.locator('.headline .line.diagnosis')
    expect(await diagnoses.count()).toBe(0)
    const button = page.getByRole('button', { name: 'of an existing flow' })
    await button.click()
    await answered(page)
    expect(await button.getAttribute('aria-pressed')).toBe('true')
    expect(await diagnoses.first().innerText()).toContain('stay on their first pod')
  })

  it('applies the default namespace to objects, and to Services in the packet box', async () => {
    const { page } = await open({
      objects:
        'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { clusterIP: 10.96.1.1, ports: [{ port: 80 }] }\n',
      packet: 'from pod → shop/web',
    })
    expect(await page.locator('.sentence').innerText()).toContain('shop/web')
    expect(await page.locator('.sentence').innerText()).not.toContain('is rejected')
    await page.getByLabel('Namespace').fill('shop')
    await answered(page)
    await expect.poll(() => rulesText(page)).toContain('shop/web')
    expect(await page.locator('.sentence').innerText()).toContain('10.96.1.1:80 is rejected')
    expect(page.url()).toContain('#q=')
  })

  it('names the IP family of each part of a comparison', async () => {
    const { page } = await open({ ...example('dual-stack'), against: 'ipvs' })
    await page.getByRole('tab', { name: 'Compare' }).click()
    await answered(page)
    const lines = await page.locator('.line.summary').allInnerTexts()
    expect(lines.filter((line) => /^IPv4: .* classes of packets/.test(line))).toHaveLength(1)
    expect(lines.filter((line) => /^IPv6: .* classes of packets/.test(line))).toHaveLength(1)
  })

  it('shows code without backticks in the descriptions of examples', async () => {
    const { page } = await open(example('seed-ngx-nodeport'))
    await page.getByRole('button', { name: 'Examples' }).click()
    const texts = await page.locator('dialog.gallery li').allInnerTexts()
    expect(texts.length).toBeGreaterThan(20)
    expect(texts.join()).not.toContain('`')
    expect(await page.locator('dialog.gallery code').count()).toBeGreaterThan(0)
  })

  it('colors the bar of a rejected packet as an error, not in the color of its Service', async () => {
    const { page } = await open({
      objects:
        'apiVersion: v1\nkind: Service\nmetadata: { namespace: shop, name: web }\nspec: { clusterIP: 10.96.1.1, ports: [{ port: 80 }] }\n',
      packet: 'from pod → shop/web',
    })
    const [bar, outcome] = await page
      .locator('.path-item.rejected')
      .evaluate((item) => [
        getComputedStyle(item).getPropertyValue('--port'),
        getComputedStyle(item).getPropertyValue('--error'),
      ])
    expect(bar).toBe(outcome)
  })

  it('shows the complete hint in an empty editor', async () => {
    const { page } = await open({ objects: '', packet: '' })
    const cut = await page.locator('.cm-placeholder:visible').evaluateAll((hints) =>
      hints.map((hint) => {
        const frame = (hint.closest('.cm-scroller') as Element).getBoundingClientRect()
        return hint.getBoundingClientRect().right > frame.right
      }),
    )
    expect(cut.length).toBeGreaterThan(0)
    expect(cut).not.toContain(true)
  })

  it('draws the path and the graph of a packet', async () => {
    const { page } = await open(example('seed-ngx-nodeport'))
    expect(await page.locator('svg.path-drawing .station .hook').allTextContents()).toEqual([
      'PREROUTING nat',
      'FORWARD filter',
      'POSTROUTING nat',
    ])
    expect((await page.locator('svg.path-drawing .changed').allTextContents()).join()).toContain('to 10.244.2.93:80')
    await page.locator('.path-item').nth(2).click()
    expect((await page.locator('svg.path-drawing .changed').allTextContents()).join()).toContain('to 10.244.4.14:80')
    await page.getByRole('tab', { name: 'Graph' }).click()
    const labels = await page.locator('svg.graph .node title').allTextContents()
    expect(labels).toContain('KUBE-NODEPORTS')
    expect(labels).toContain('10.244.3.86:80')
    // No other Service is visible.
    expect(labels.join()).not.toContain('KUBE-SVC-TCOU7JCQXEZGVUNU')
  })

  it('follows the packet step by step, and shows the rule of the step in every pane', async () => {
    const { page, faults } = await open(example('node-port'), { reducedMotion: 'reduce' })
    const lesson = page.getByRole('region', { name: 'Follow the packet' })
    const steps = lesson.locator('.hint')
    await page.getByRole('button', { name: '▸ Follow' }).click()
    expect(await steps.innerText()).toBe('1 / 16')
    // Nothing moves by itself with reduced motion.
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    for (let step = 1; step < 9; step++) await lesson.press('ArrowRight')
    expect(await steps.innerText()).toBe('9 / 16 · PREROUTING nat')
    expect(await lesson.innerText()).toContain(
      'The destination becomes 10.244.1.5:8080, an endpoint of shop/web:http/TCP.',
    )
    expect(await lesson.locator('.changed').innerText()).toMatch(/^to\s+10\.244\.1\.5:8080$/)
    expect(await page.locator('g.step.now').getAttribute('aria-label')).toContain('DNAT --to-d')
    expect(await page.locator('.line.now').innerText()).toContain('10.244.1.5:8080')
    expect(await page.locator('.pane.output .marked').innerText()).toContain('DNAT --to-destination 10.244.1.5:8080')
    await expect
      .poll(() => page.locator('.pane.objects .linked').allInnerTexts())
      .toEqual(['  - addresses: [10.244.1.5]'])
    await lesson.press('ArrowLeft')
    expect(await lesson.locator('li').allInnerTexts()).toEqual([
      '1/2 → 10.244.1.5:8080, masqueraded',
      '1/2 → 10.244.2.7:8080, masqueraded',
    ])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findViolations(page), colorScheme).toEqual([])
    }
    await lesson.press('Escape')
    expect(await lesson.isHidden()).toBe(true)
    expect(await page.locator('.now').count()).toBe(0)
    expect(faults).toEqual([])
  })

  it('continues the lesson by itself until the user moves', async () => {
    const { page } = await open(example('node-port'))
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    await page.getByRole('button', { name: '▸ Follow' }).click()
    const steps = page.locator('.lesson .hint')
    // The lesson goes on to its end, so that a look that comes late finds a later step.
    await expect.poll(() => steps.innerText()).toMatch(/^(?:[3-9]|1\d) \/ 16/)
    await page.getByRole('button', { name: 'Previous step' }).click()
    expect(await page.locator('.lesson').getByRole('button', { name: 'Play' }).isVisible()).toBe(true)
  })

  it('shows the effects of an edit', async () => {
    const { page } = await open(example('seed-ngx-nodeport'))
    await page.getByRole('button', { name: 'Keep as' }).click()
    const editor = page.locator('.objects .cm-content').first()
    await page.evaluate(() => document.querySelector<HTMLElement>('.objects .cm-content')?.focus())
    await editor.press('Control+End')
    await page.keyboard.insertText(
      '\n---\nkind: Service\napiVersion: v1\nmetadata: { name: new, namespace: default }\nspec: { clusterIP: 10.96.9.9, ports: [{ port: 80 }] }\n',
    )
    await answered(page)
    const text = await page.locator('#panel-change').innerText()
    expect(text).toContain('differs: TCP 10.96.9.9:80')
    expect(text).toContain('rejected')
    expect(text).toContain('iptables-restore -w 5 --noflush')
    const edits = page.getByRole('region', { name: 'Edits' })
    expect(await edits.locator('ins').allInnerTexts()).toContain('kind: Service')
    expect(await edits.locator('del').count()).toBe(0)
    const rules = page.locator('#panel-change').getByRole('region', { name: 'Rules' })
    expect((await rules.locator('ins').allInnerTexts()).join()).toContain('default/new has no endpoints')
    expect(await rules.locator('del').count()).toBe(0)
  })

  it('shows an example packet of a change with both outcomes, and traces it on request', async () => {
    const { page } = await open({ ...example('seed-saythx-redis'), packet: '', pane: 'change' })
    const shown = page.locator('.change-group .example')
    expect(await shown.first().innerText()).toMatch(
      /^Example\s+from pod → 10\.103\.193\.175:6379\s+Before\s+10\.32\.0\.2:6379\s+After\s+2 endpoints, each 1\/2$/,
    )
    await shown.getByRole('button').first().click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('goes to one of 2 endpoints')
  })

  it('suggests packets for a manifest without addresses, and shows the assumed values by default', async () => {
    const objects = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { replicas: 3, selector: { matchLabels: { app: web } }, template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: web, image: nginx }] } } }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
`
    const { page } = await open({ objects })
    expect(await page.locator('.problems').innerText()).toMatch(/^note: assumed.* 3 endpoints$/)
    await page.locator('.packets').getByRole('button', { name: 'from pod →' }).click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('goes to one of 3 endpoints of default/web/TCP')
    expect(await page.locator('.packet .packets li').count()).toBe(0)
  })

  it('suggests packets through a dump without objects', async () => {
    const { page, faults } = await open({
      dump: example('01-dns-refused-though-ready').dump,
      pane: 'dump',
      through: 'dump',
    })
    await page.getByRole('button', { name: 'from pod → 10.96.0.10:53/udp' }).click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain(':53 may be rejected')
    expect(faults).toEqual([])
  })

  it('filters the changes by Service, and shows rules side by side only in a wide pane', async () => {
    const { objects } = example('seed-ngx-nodeport')
    const edited = objects.replace('10.244.3.86', '10.244.3.87').replace('nodePort: 30080', 'nodePort: 30081')
    const { page } = await open({ objects: edited, before: objects, pane: 'change' })
    const groups = page.locator('.change-group h2')
    expect(await groups.allInnerTexts()).toEqual([
      'Service default/ngx-dep-svc-nodeport',
      'Service default/ngx-dep-svc',
    ])
    expect(await page.locator('.change-group .effect').allInnerTexts()).toEqual([
      'node port 30080 → 30081',
      'endpoint 10.244.3.86 → 10.244.3.87',
    ])
    await page
      .locator('#panel-change')
      .getByRole('combobox', { name: 'Service' })
      .selectOption('Service default/ngx-dep-svc')
    expect(await groups.allInnerTexts()).toEqual(['Service default/ngx-dep-svc'])
    const left = async (name: string) => (await page.locator(`.change-group ${name}.replaced`).first().boundingBox())?.x
    expect(await left('ins')).toBeGreaterThan(Number(await left('del')) + 200)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await left('ins')).toBe(await left('del'))
  })

  it('compares the rules of two modes, and of two versions', async () => {
    const { page } = await open({ ...example('every-frontend'), pane: 'comparison' })
    await page.getByLabel('against').selectOption('ipvs')
    await answered(page)
    expect(await page.locator('#panel-comparison').innerText()).toContain('classes of packets')
    await page.getByLabel('against').selectOption('1.30')
    await answered(page)
    expect(await page.locator('#panel-comparison').innerText()).toContain('classes of packets')
  })

  it('verifies a dump, explains a packet through it, and shows the owner of each rule', async () => {
    const { page } = await open(example('01-dns-refused-though-ready'))
    const panel = page.locator('#panel-dump')
    expect(await panel.innerText()).toContain(
      'packets to kube-system/kube-dns:dns-tcp/TCP and 1 more service port are rejected',
    )
    expect(await panel.innerText()).toContain('8 missing, 2 extra')
    expect(await panel.innerText()).toMatch(/\d+ of its lines belong to \d+ service ports/)
    await page.locator('#packet').fill('from pod → 10.96.0.10:53/udp')
    await page.getByRole('button', { name: 'through the dump' }).click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('is rejected')
    await page.getByRole('button', { name: 'through the dump' }).click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('one of 2 endpoints')
  })

  it('restores the same state from a copied link', async () => {
    const { page, context } = await open(example('seed-ngx-nodeport'))
    await page.locator('#packet').fill('from pod → 10.96.0.10:9153')
    await page.getByLabel('Mode', { exact: true }).selectOption('nftables')
    await answered(page)
    const link = await copiedLink(page)
    expect(link).toContain('#q=')
    const again = await context.newPage()
    await again.goto(link)
    await answered(again)
    expect(await again.locator('.sentence').innerText()).toBe(await page.locator('.sentence').innerText())
    expect(await again.getByLabel('Mode', { exact: true }).inputValue()).toBe('nftables')
  })

  it('computes the rules of large clusters in a worker', async () => {
    const services = Array.from(
      { length: 220 },
      (_, index) =>
        `---\nkind: Service\napiVersion: v1\nmetadata: { name: s${index}, namespace: default }\nspec: { clusterIP: 10.96.${index >> 8}.${(index & 255) + 1}, ports: [{ port: 80 }] }\n`,
    )
    const { page, requests, faults } = await open({ objects: services.join(''), packet: 'from pod → 10.96.0.5:80' })
    expect(page.workers().length).toBe(1)
    expect(await page.locator('.sentence').innerText()).toContain('is rejected')
    expect(requests).toEqual([])
    expect(faults).toEqual([])
  })
})
