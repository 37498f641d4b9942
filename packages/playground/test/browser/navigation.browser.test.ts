import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findViolations } from '../support/axe.js'
import { answered, describeInBrowser, PAGE_URL } from '../support/browser.js'

const objectsText = (page: Page) => page.locator('.pane.objects .cm-content').first().innerText()
const objectsEditor = (page: Page) => page.getByRole('textbox', { name: 'Objects of the cluster' })
const packetBox = (page: Page) => page.locator('#packet')

async function chooseExample(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.locator(`[data-example=${name}]`).click()
  await answered(page)
}

async function openHash(page: Page, hash: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(PAGE_URL + hash)
  await answered(page)
}

describeInBrowser('examples and links', ({ open, openAt }) => {
  it('start with a short example, scrolled to its first line', async () => {
    const { page, faults } = await openAt('')
    const lines = (await objectsText(page)).split('\n')
    expect(lines[0]).toBe('# The node to see the rules of.')
    expect(
      await page
        .locator('.pane.objects .cm-scroller')
        .first()
        .evaluate((view) => view.scrollTop),
    ).toBe(0)
    expect(await page.locator('.sentence').innerText()).toBe(
      'A TCP packet from outside to 192.168.0.11:30080 goes to one of 2 endpoints of shop/web:http/TCP, each with 1/2, ' +
        'with the node’s address as its source.',
    )
    expect(await page.locator('.problems').innerText()).toBe('')
    expect(faults).toEqual([])
  })

  it('open an example by its name, together with its description', async () => {
    const { page, faults } = await openAt('#example=seed-saythx-redis')
    expect(await packetBox(page).inputValue()).toBe('from pod → work/saythx-redis')
    expect(await page.locator('.introduction .example').innerText()).toContain('A Redis Service')
    await openHash(page, '#example=constructor')
    expect(await page.locator('.introduction .example').innerText()).toContain('A node port')
    expect(faults).toEqual([])
  })

  it('let the browser back button restore the objects before an example', async () => {
    const { page } = await open()
    await objectsEditor(page).press('Control+End')
    await page.keyboard.insertText('\n# mine\n')
    await answered(page)
    await chooseExample(page, 'dual-stack')
    expect(await objectsText(page)).not.toContain('# mine')
    await expect.poll(() => page.url()).toContain('#example=dual-stack')
    await page.goBack()
    await expect.poll(() => packetBox(page).inputValue()).toBe('from outside → node:30080')
    await page.goForward()
    await expect.poll(() => packetBox(page).inputValue()).toBe('from outside → 203.0.113.10:80')
  })

  it('keep undo from mixing an example with earlier objects', async () => {
    const { page } = await open()
    await objectsEditor(page).press('Control+End')
    await page.keyboard.insertText('\n# mine\n')
    await answered(page)
    await chooseExample(page, 'dual-stack')
    const loaded = await objectsText(page)
    await objectsEditor(page).press('Control+Z')
    expect(await objectsText(page)).toBe(loaded)
  })

  it('offer to restore the last edit at the next visit', async () => {
    const { page } = await open()
    await objectsEditor(page).press('Control+End')
    await page.keyboard.insertText('\n---\nkind: Node\napiVersion: v1\nmetadata: { name: mine }\n')
    await answered(page)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('kube-rules work'))).toMatch(/^#q=/)
    await openHash(page, '')
    expect(await objectsText(page)).not.toContain('name: mine')
    await page.getByRole('button', { name: 'Continue your last edit' }).click()
    await expect.poll(() => page.locator('#choose-node').innerText()).toContain('mine')
  })

  it('can be searched by words', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Examples' }).click()
    const all = await page.locator('[data-example]').count()
    await page.getByRole('textbox', { name: 'Search in the examples' }).fill('redis')
    const found = page.locator('li:not([hidden]) > [data-example]')
    expect(await found.count()).toBeGreaterThan(0)
    expect(await found.count()).toBeLessThan(all)
    expect(await page.locator('[data-example=seed-saythx-redis]').isVisible()).toBe(true)
    await page.getByRole('textbox', { name: 'Search in the examples' }).fill('ipv4 and ipv6')
    await page.keyboard.press('Enter')
    expect(await page.locator('dialog.gallery').isVisible()).toBe(false)
    expect(await page.locator('.introduction').innerText()).toContain('IPv4 and IPv6')
  })
})

describeInBrowser('a link', ({ openAt }) => {
  it('is opened even if the link of the request before is written to the address at the same time', async () => {
    const { page } = await openAt('')
    await page.evaluate(() => {
      location.hash = '#example=dual-stack'
      history.replaceState(null, '', '#example=node-port')
    })
    await expect.poll(() => packetBox(page).inputValue()).toBe('from outside → 203.0.113.10:80')
  })

  it.each([
    ['#q=AAAA', 'This link is damaged'],
    ['#example=nope', 'There is no example with the name nope.'],
  ])('%s that opens nothing is reported until the next edit', async (hash, expected) => {
    const { page } = await openAt(hash)
    const notice = page.locator('.notice')
    expect(await notice.innerText()).toContain(expected)
    await page.locator('#packet').fill('from pod → node:30080')
    expect(await notice.isVisible()).toBe(false)
  })
})

describeInBrowser('the introduction', ({ open }) => {
  it('offers buttons to follow a packet, to paste objects, and to paste a dump', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Paste your YAML' }).click()
    await answered(page)
    await page.keyboard.insertText('kind: Node')
    expect(await objectsText(page)).toBe('kind: Node')
    await page.getByRole('button', { name: 'Paste a node dump' }).click()
    await answered(page)
    await page.keyboard.insertText('*nat')
    expect(await page.getByRole('textbox', { name: 'Node rules' }).innerText()).toBe('*nat')
    const throughDump = page.getByRole('button', { name: 'through the dump' })
    await expect.poll(() => throughDump.getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('button', { name: 'Follow a packet' }).click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('goes to one of 2 endpoints')
    await expect.poll(() => page.locator('.lesson .hint').innerText()).toMatch(/^\d+ \/ 16/)
  })

  it('stays closed at the next visit after the user closed it', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Close the introduction' }).click()
    await openHash(page, '')
    expect(await page.locator('.welcome').isHidden()).toBe(true)
    expect(await page.locator('.introduction .example').isVisible()).toBe(true)
    await page.keyboard.press('?')
    expect(await page.locator('dialog[open]').getByRole('link', { name: 'Documentation' }).isVisible()).toBe(true)
  })

  it('is visible without JavaScript', async () => {
    const { context } = await open()
    const page = await context.browser()?.newPage({ javaScriptEnabled: false })
    await page?.goto(PAGE_URL)
    expect(await page?.locator('#shell').innerText()).toContain('follow a packet through them')
    await page?.close()
  })
})

describeInBrowser('the static page', ({ createContext }) => {
  it('is in a frame before the first question', async () => {
    const page = await (await createContext()).newPage()
    await page.addInitScript(() => {
      const events: string[] = []
      Object.assign(window, { events })
      const { mark } = Performance.prototype
      Performance.prototype.mark = function (name, ...rest) {
        events.push(name)
        return mark.call(this, name, ...rest)
      }
      const look = () => {
        if (document.getElementById('shell') !== null) events.push('shell')
        requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    await page.goto(PAGE_URL)
    await answered(page)
    const events = await page.evaluate(() => (window as unknown as { events: string[] }).events)
    expect(events[0]).toBe('shell')
    expect(events).toContain('asked')
  })
})

describeInBrowser('an embedded view', ({ openAt }) => {
  it.each([
    ['path', '.pane.packet', '.pane.output'],
    ['rules', '.pane.output', '.pane.packet'],
  ])('shows only the %s at 400 pixels', async (view, shown, hidden) => {
    const { page, faults } = await openAt(`#example=seed-ngx-nodeport&view=${view}`, {
      viewport: { width: 400, height: 400 },
    })
    expect(await page.locator(shown).isVisible()).toBe(true)
    for (const each of [hidden, '.pane.objects', '.top', '.introduction']) {
      expect(await page.locator(each).isVisible(), each).toBe(false)
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400)
    const link = page.getByRole('link', { name: 'Open in the playground' })
    await link.evaluate((anchor) => anchor.addEventListener('click', (event) => event.preventDefault()))
    await link.click()
    expect(await link.getAttribute('href')).toMatch(/#(?:example|q)=[\w-]+$/)
    expect(faults).toEqual([])
  })
})

describeInBrowser('shortcuts', ({ open }) => {
  it('work only outside of text fields, and appear in a list after the key "?"', async () => {
    const { page } = await open()
    await page.locator('h1').click()
    await page.keyboard.press('?')
    expect(await page.locator('dialog.shortcuts[open]').innerText()).toContain('Write a packet')
    await page.keyboard.press('Escape')
    await page.keyboard.press('2')
    expect(await page.locator('#tab-change').getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('/')
    await page.keyboard.type('from pod → ?2')
    expect(await packetBox(page).inputValue()).toBe('from pod → ?2')
    expect(await page.locator('dialog[open]').count()).toBe(0)
  })
})

describeInBrowser('the first page', ({ openAt }) => {
  it.each([
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'light'],
  ] as const)(
    'has no axe violations at %i pixels with %s colors, including the list of shortcuts',
    async (width, colorScheme) => {
      const { page } = await openAt('', { viewport: { width, height: 800 }, colorScheme })
      expect(await findViolations(page)).toEqual([])
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
      expect(await findViolations(page)).toEqual([])
    },
  )
})

describeInBrowser('the layout', ({ open }) => {
  it.each([1280, 1440])('keeps the theme button in the same row as the other buttons at %i pixels', async (width) => {
    const { page } = await open(undefined, { viewport: { width, height: 800 } })
    await objectsEditor(page).press('Control+End')
    await page.keyboard.insertText('\n---\nkind: Node\napiVersion: v1\nmetadata: { name: node-2 }\n')
    await answered(page)
    await page.locator('#choose-node').waitFor()
    const top = async (name: string) => (await page.getByRole('button', { name }).boundingBox())?.y
    expect(await top('Colours')).toBe(await top('Copy link'))
  })

  it('scrolls to the selected rules after the mode changes', async () => {
    const { page } = await open()
    await page.locator('#choose-mode').selectOption('nftables')
    await answered(page)
    const isInView = () =>
      page.evaluate(() => {
        const view = document.querySelector('.panel.rules .cm-scroller')?.getBoundingClientRect()
        return [...document.querySelectorAll('.panel.rules .cm-line.lit')].some((line) => {
          const { top, bottom } = line.getBoundingClientRect()
          return view !== undefined && top >= view.top && bottom <= view.bottom
        })
      })
    await expect.poll(isInView).toBe(true)
  })

  it.each(['iptables', 'nftables'])(
    'draws the text of each step inside its box in %s mode, before the probability',
    async (mode) => {
      const { page } = await open()
      await page.locator('#choose-mode').selectOption(mode)
      await answered(page)
      const overflow = await page.evaluate(() =>
        [...document.querySelectorAll('.path-drawing .step')].flatMap((step) => {
          const box = step.querySelector('rect')?.getBoundingClientRect()
          const [text, share] = [...step.querySelectorAll('text')].map((each) => each.getBoundingClientRect())
          const limit = share?.left ?? box?.right ?? 0
          return text !== undefined && text.right > limit ? [`${step.textContent}: ${text.right} > ${limit}`] : []
        }),
      )
      expect(await page.locator('.path-drawing .step').count()).toBeGreaterThan(5)
      expect(overflow).toEqual([])
    },
  )
})
