declare module "worker:*" {
  const text: string;
  export default text;
}
