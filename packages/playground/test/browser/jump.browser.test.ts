import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { answered, describeInBrowser } from '../support/browser.js'

const OBJECTS = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec:
  type: LoadBalancer
  clusterIP: 10.96.0.1
  externalIPs: [203.0.113.9]
  loadBalancerSourceRanges: [198.51.100.0/24]
  externalTrafficPolicy: Local
  internalTrafficPolicy: Local
  healthCheckNodePort: 32000
  sessionAffinity: ClientIP
  ports:
    - { name: http, port: 80, nodePort: 30080 }
status: { loadBalancer: { ingress: [{ ip: 203.0.113.5 }] } }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-a, namespace: default, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ name: http, port: 8080 }]
endpoints:
  - addresses: [10.244.0.1]
    nodeName: node-1
  - addresses: [10.244.0.2]
    nodeName: node-1
---
apiVersion: v1
kind: Node
metadata: { name: node-1 }
status: { addresses: [{ type: InternalIP, address: 192.168.0.2 }] }
`

/** Returns the line of the cursor in the editor with the focus. */
function currentLine(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.querySelector('.cm-focused .cm-activeLine')?.textContent ?? undefined)
}

async function moveCursorTo(page: Page, field: string): Promise<void> {
  const line = OBJECTS.split('\n').findIndex((text) => text.includes(field))
  await page.getByRole('textbox', { name: 'Objects of the cluster' }).press('Control+Home')
  for (let count = 0; count < line; count++) await page.keyboard.press('ArrowDown')
}

describeInBrowser('the key Ctrl Enter', ({ open }) => {
  it('jumps from each field to its rules, and back', async () => {
    const { page, faults } = await open({ objects: OBJECTS, pane: 'comparison' })
    const rules = {
      'clusterIP: 10': /-d 10\.96\.0\.1\/32/,
      externalIPs: /-d 203\.0\.113\.9\/32/,
      loadBalancerSourceRanges: /-s 198\.51\.100\.0\/24/,
      externalTrafficPolicy: /^-A KUBE-EXT-/,
      internalTrafficPolicy: /cluster IP" .*-j KUBE-SVL-/,
      healthCheckNodePort: /--dport 32000 -j ACCEPT/,
      sessionAffinity: /-m recent /,
      'nodePort: 30080': /--dport 30080/,
      '203.0.113.5': /-d 203\.0\.113\.5\/32/,
      '10.244.0.2': /10\.244\.0\.2/,
    }
    for (const [field, rule] of Object.entries(rules)) {
      await moveCursorTo(page, field)
      await page.keyboard.press('Control+Enter')
      await expect.poll(() => currentLine(page), { message: field }).toMatch(rule)
      await page.keyboard.press('Control+Enter')
      await expect.poll(() => currentLine(page), { message: field }).toContain(field)
    }
    expect(faults).toEqual([])
  })

  it('jumps from a rule to its field', async () => {
    const { page } = await open({ objects: OBJECTS })
    const rule = page.locator('.panel.rules .cm-line', { hasText: '--dport 32000' })
    await rule.scrollIntoViewIfNeeded()
    await rule.click()
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => currentLine(page)).toContain('healthCheckNodePort: 32000')
    // The objects are unchanged.
    await answered(page)
    expect(await page.locator('.problems').innerText()).toBe('')
  })

  it('is in the list of shortcuts', async () => {
    const { page } = await open()
    await page.locator('h1').click()
    await page.keyboard.press('?')
    expect(await page.locator('dialog.shortcuts[open]').innerText()).toContain(
      'Jump from a field to its rules, and back',
    )
  })
})
