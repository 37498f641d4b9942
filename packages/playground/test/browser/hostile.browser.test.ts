import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { answered, describeInBrowser } from '../support/browser.js'

const MARKUP = '<img src=x onerror="window.broken=1"><script>window.broken=1</script><b>'

const SERVICE = `apiVersion: v1
kind: Service
metadata: { name: '${MARKUP.replaceAll("'", "''")}', namespace: '${MARKUP}' }
spec: { clusterIP: '${MARKUP}', ports: [{ name: '${MARKUP}', port: '${MARKUP}' }] }
`

const DUMP = `*nat
:KUBE-SERVICES - [0:0]
-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m comment --comment "${MARKUP.replaceAll('"', '\\"')} cluster IP" -m tcp --dport 80 -j KUBE-SVC-${'X'.repeat(16)}
:KUBE-SVC-${'X'.repeat(16)} - [0:0]
COMMIT
${MARKUP}
`

/** Expects that the markup neither created elements nor ran. */
async function isWhole(page: Page): Promise<void> {
  expect(await page.evaluate(() => 'broken' in window)).toBe(false)
  expect(await page.locator('img[src], b, iframe, object, body script + script').count()).toBe(0)
}

describeInBrowser('hostile input', ({ open }) => {
  it('with markup in names is shown as text', async () => {
    const { page, requests, faults } = await open({
      objects: SERVICE,
      before: SERVICE,
      host: MARKUP,
      dump: DUMP,
      packet: MARKUP,
      mode: MARKUP,
      version: MARKUP,
      node: MARKUP,
      against: MARKUP,
      pane: MARKUP,
      subsystem: MARKUP,
      format: MARKUP,
      family: MARKUP,
    })
    await isWhole(page)
    for (const pane of ['change', 'comparison', 'dump', 'rules']) {
      await page.locator(`#tab-${pane}`).click()
      await answered(page)
      await isWhole(page)
    }
    expect(requests).toEqual([])
    expect(faults).toEqual([])
  })

  it('in the dump of a valid cluster is shown as text', async () => {
    const objects =
      'kind: Service\napiVersion: v1\nmetadata: { name: web, namespace: default }\nspec: { clusterIP: 10.96.0.1, ports: [{ port: 80 }] }\n'
    const { page, requests } = await open({
      objects,
      dump: DUMP,
      pane: 'dump',
      packet: 'from pod → 10.96.0.1:80',
      through: 'dump',
    })
    expect(await page.locator('#panel-dump').innerText()).toContain('<img src=x')
    await isWhole(page)
    expect(requests).toEqual([])
  })

  it('cannot run scripts or load anything because of the content security policy', async () => {
    const { page } = await open()
    const done = await page.evaluate(async () => {
      const script = document.createElement('script')
      script.textContent = 'window.broken = 1'
      document.body.append(script)
      const rejected: string[] = []
      const areRejected = new Promise<void>((resolve) => {
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (rejected.push(effectiveDirective) === 3) resolve()
        })
      })
      const image = new Image()
      const loaded = new Promise((resolve) => {
        image.onload = () => resolve('loaded')
        image.onerror = () => resolve('refused')
      })
      image.src = 'http://127.0.0.1:1/x.png'
      const fetched = fetch('http://127.0.0.1:1/').then(
        () => 'fetched',
        () => 'refused',
      )
      const outcomes = [await loaded, await fetched]
      await areRejected
      return ['broken' in window, ...outcomes, rejected.sort()]
    })
    expect(done).toEqual([false, 'refused', 'refused', ['connect-src', 'img-src', 'script-src-elem']])
  })

  it.each([
    ['10 MB of one line of YAML', { objects: `kind: ${'x'.repeat(10_000_000)}` }],
    ['10 MB of nested YAML', { objects: '['.repeat(100_000) }],
    ['a dump of 10 MB', { dump: '-A KUBE-SERVICES -j ACCEPT\n'.repeat(380_000), pane: 'dump' }],
    ['a dump of one line of 10 MB', { dump: `-A KUBE-SERVICES ${'x'.repeat(10_000_000)}`, pane: 'dump' }],
  ])('does not block the page: %s', async (_name, fields) => {
    const { page, faults } = await open()
    // Uses the clipboard, because this text is too long for a link.
    const editor =
      'dump' in fields
        ? page.getByRole('textbox', { name: 'Node rules' })
        : page.getByRole('textbox', { name: 'Objects of the cluster' })
    if ('dump' in fields) await page.locator('#tab-dump').click()
    await editor.focus()
    await page.keyboard.press('Control+A')
    await page.evaluate(
      (text) => navigator.clipboard.writeText(text),
      'objects' in fields ? fields.objects : fields.dump,
    )
    await page.keyboard.press('Control+V')
    await page.getByRole('button', { name: 'Examples' }).click()
    await page.locator('[data-example=seed-apiserver]').click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('default/kubernetes')
    expect(faults).toEqual([])
    await isWhole(page)
  })
})
