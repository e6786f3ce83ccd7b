// icons.js: the few pictograms of the page, 20 x 20.
const paths = {
  play: "M6 4v12l10-6z",
  pause: "M5 4h3.4v12H5zM11.6 4H15v12h-3.4z",
  first: "M4 4h2.4v12H4zM16 4v12L7.4 10z",
  back: "M14.5 4.5 8 10l6.5 5.500zM5 4.500h2v11H5z",
  ahead: "M5.500 4.500 12 10l-6.500 5.500zM13 4.500h2v11h-2z",
  loop: "M5 8.500A5 5 0 0 1 14 7h-2.500v1.800H17V3.300h-1.800v2.100A6.800 6.800 0 0 0 3.200 8.500zM15 11.500A5 5 0 0 1 6 13h2.500v-1.800H3v5.500h1.800v-2.100a6.800 6.800 0 0 0 12-3.100z",
  close: "m5.300 4.200 4.700 4.700 4.700-4.700 1.100 1.100-4.700 4.700 4.700 4.700-1.100 1.100-4.700-4.700-4.700 4.700-1.100-1.100 4.700-4.700-4.700-4.700z",
  unzoom: "M3 3h5v1.700H4.700V8H3zM12 3h5v5h-1.700V4.700H12zM3 12h1.700v3.300H8V17H3zM15.300 12H17v5h-5v-1.700h3.300z",
  sun: "M10 6a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM9.200 1.500h1.600v2.600H9.200zM9.200 15.900h1.600v2.600H9.200zM1.500 9.200h2.600v1.600H1.500zM15.900 9.200h2.600v1.600h-2.600zM3.400 4.500l1.100-1.100 1.900 1.900-1.100 1.100zM13.600 14.700l1.100-1.100 1.900 1.900-1.100 1.100zM4.500 16.600l-1.100-1.100 1.900-1.900 1.100 1.100zM14.700 6.400l-1.100-1.100 1.900-1.900 1.100 1.100z",
  moon: "M15.800 12.600A6.800 6.800 0 0 1 7.400 4.200 6.800 6.800 0 1 0 15.800 12.600z",
  camera: "M7 4 5.800 6H3v10h14V6h-2.800L13 4zM10 7.600a3.200 3.200 0 1 1 0 6.400 3.200 3.200 0 0 1 0-6.400z",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}
