import { expect, it } from 'vitest'
import { example } from '../support/answers.js'
import { answered, describeInBrowser } from '../support/browser.js'

describeInBrowser('the choices', ({ open }) => {
  // The last size corresponds to 1440 × 900 pixels at a zoom of 200 %.
  it.each([
    [1440, 900],
    [390, 844],
    [720, 450],
  ])('show the whole text of the chosen value at %i x %i pixels', async (width, height) => {
    const { page } = await open({ ...example('every-frontend'), mode: 'ipvs' }, { viewport: { width, height } })
    const cut = await page.locator('select:visible').evaluateAll((all) =>
      all.flatMap((select) => {
        const shown = (select as HTMLSelectElement).selectedOptions[0]?.label ?? ''
        const whole = document.createElement('select')
        whole.append(new Option(shown))
        select.after(whole)
        const [needed, given] = [whole.offsetWidth, (select as HTMLSelectElement).offsetWidth]
        whole.remove()
        return given < needed ? [`${shown}: ${given} of ${needed}`] : []
      }),
    )
    expect(cut).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  })
})

describeInBrowser('the drawing of a path', ({ open }) => {
  it.each(['nftables', 'ipvs'])('has whole headings in %s mode', async (mode) => {
    const { page } = await open({ ...example('node-port'), mode })
    const headings = await page.locator('.path-drawing .hook').allTextContents()
    expect(headings.length).toBeGreaterThan(1)
    expect(headings.join()).not.toContain('…')
  })

  it.each(['iptables', 'nftables'])('has whole addresses in a frame of 700 pixels in %s mode', async (mode) => {
    const { page } = await open({ ...example('node-port'), mode }, { viewport: { width: 700, height: 400 } })
    await page.evaluate(() => location.assign(`${location.hash}&view=path`))
    await page.reload()
    await answered(page)
    const addresses = await page
      .locator('.path-drawing :is(.addresses, .end) text')
      .evaluateAll((all) => all.map((each) => each.firstChild?.textContent ?? ''))
    expect(addresses.length).toBeGreaterThan(3)
    expect(addresses.join()).not.toContain('…')
  })
})
