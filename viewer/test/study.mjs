// study.mjs: the page of a study.
import { join } from "node:path";
import { check, read, root, run, visit } from "./harness.mjs";

/** the page of a study: pictures are drawn, a click chooses a run, its command repeats it */
export async function study() {
  const words = ["study", join(root, "studies/four_bar.yaml"), "--out", "study.db", "--csv", "study.csv", "--html", "study.html", "-q"];
  run(...words);
  const rows = read("study.csv").trim().split("\n").map((line) => line.split(","));
  await visit("study.html", { height: 1500 }, async (page) => {
    check((await page.locator("#effects canvas").count()) === 5, "effects of every metric");
    check((await page.locator("#spread canvas").count()) === 6, "distributions of metrics and constraints");
    const drawn = await page.evaluate(() => [...document.querySelectorAll("canvas")].every((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((x) => x > 0)));
    check(drawn, "a picture is empty");
    // the point of run 5 in the cell of crank and coupler, by its place between the extremes
    const place = (name) => {
      const k = rows[0].indexOf(name);
      const list = rows.slice(1).map((r) => Number(r[k]));
      return (list[5] - Math.min(...list)) / (Math.max(...list) - Math.min(...list));
    };
    const box = await page.locator("#matrix canvas").boundingBox();
    const cell = box.width / 7;
    await page.mouse.click(box.x + cell + 5 + place("coupler") * (cell - 10), box.y + cell - 5 - place("crank") * (cell - 10));
    const said = await page.locator("#run").textContent();
    const number = Number(/run (\d+):/.exec(said)?.[1]);
    check(number === 5, `a click on run 5 says "${said.slice(0, 40)}"`);
    const command = await page.locator("#run pre").textContent();
    check(command === run("study", join(root, "studies/four_bar.yaml"), "--show", "5").trim().split("\n").pop(), command);
    run(...command.replace("holon ", "").split(" "), "-q");
    // a range on an axis hides the rest
    const axis = await page.locator("#parallel canvas").boundingBox();
    await page.mouse.move(axis.x + 40, axis.y + 100);
    await page.mouse.down();
    await page.mouse.move(axis.x + 40, axis.y + 200);
    await page.mouse.up();
    check((await page.evaluate(() => window.holonStudy.limits.size)) === 1, "dragging along an axis sets no range");
  }, "study");
}
