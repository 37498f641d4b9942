import type { Locator, Page } from 'playwright-core'
import { answered, copiedLink } from './browser.js'

/** A reader of the page, whose clicks and keys are counted. Typing, pasting and scrolling do not count. */
export interface Reader {
  readonly page: Page
  /** Returns the number of clicks and keys until now. */
  actions(): number
  click(target: Locator): Promise<void>
  press(name: string | RegExp): Promise<void>
  key(key: string): Promise<void>
  choose(target: Locator, value: string): Promise<void>
  paste(text: string): Promise<void>
  /** Returns the link from the button that copies it. */
  copyLink(): Promise<string>
  /** Writes into the packet box, after the key that moves the focus there or, from an editor, a click. */
  ask(packet: string): Promise<void>
  sentence(): Promise<string>
}

export function createReader(page: Page): Reader {
  let count = 0
  const act = async (action: () => Promise<unknown>) => {
    count++
    await action()
    await answered(page)
  }
  const click = (target: Locator) => act(() => target.click())
  return {
    page,
    actions: () => count,
    click,
    press: (name) => click(page.getByRole('button', { name })),
    key: (key) => act(() => page.keyboard.press(key)),
    choose: (target, value) => act(() => target.selectOption(value)),
    paste: async (text) => {
      await page.evaluate((each) => navigator.clipboard.writeText(each), text)
      await page.keyboard.press('Control+V')
      await answered(page)
    },
    copyLink: () => {
      count++
      return copiedLink(page)
    },
    ask: async (packet) => {
      await click(page.locator('#packet'))
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(packet)
      await answered(page)
    },
    sentence: async () => (await page.locator('.sentence').textContent()) ?? '',
  }
}
